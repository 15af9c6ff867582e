//! The live view on a terminal, like `top`.

use std::io::{Stdout, Write, stdout};
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use crossterm::{cursor, queue};

use super::super::Failure;
use super::super::output::Existing;
use super::super::progress;
use super::super::stop::Stop;
use super::Arguments;
use super::choice::{Choice, Level, Sort};
use super::frame::Session;
use super::record::Recorder;
use super::view::{Tallies, cut};

/// What the user is doing.
struct State {
    choice: Choice,
    tallies: Tallies,
    is_paused: bool,
    is_typing: bool,
    message: String,
}

/// What a key asks for beyond the view.
enum Wish {
    None,
    Quit,
    Record,
    Share,
}

/// Runs until the user, the duration or the command ends it. The terminal is left as it
/// was, also after a failure.
pub fn run(arguments: &Arguments, session: &mut Session) -> Result<(), Failure> {
    let terminal = |error| Failure::io("draw on", "the terminal")(error);
    enable_raw_mode().map_err(terminal)?;
    let mut out = stdout();
    let opened = queue!(out, EnterAlternateScreen, cursor::Hide).and_then(|()| out.flush());
    let mut folder = None;
    let ended =
        opened.map_err(terminal).and_then(|()| watch(arguments, session, &mut out, &mut folder));
    let _ = queue!(out, LeaveAlternateScreen, cursor::Show).and_then(|()| out.flush());
    let _ = disable_raw_mode();
    if let Some(folder) = folder {
        progress::say(format!("written: {folder}"));
    }
    ended
}

fn watch(
    arguments: &Arguments,
    session: &mut Session,
    out: &mut Stdout,
    folder: &mut Option<String>,
) -> Result<(), Failure> {
    let stop = Stop::listen();
    let mut recorder = match &arguments.out {
        Some(folder) => {
            Some(Recorder::open(folder, Existing::from(arguments.force), &session.about)?)
        }
        None => None,
    };
    let mut state = State::new(session);
    let mut schedule = arguments.schedule();
    let mut noted = session.about.notes.len();
    draw(out, session, &state, recorder.is_some())?;
    loop {
        let left = schedule.next().saturating_duration_since(Instant::now());
        let left = left.min(Duration::from_millis(200));
        if poll(left).map_err(Failure::io("read", "the terminal"))? {
            match state.handle(read().map_err(Failure::io("read", "the terminal"))?) {
                Wish::Quit => break,
                Wish::Share => session.toggle_share(),
                Wish::Record => toggle(arguments, session, &mut recorder, &mut state, folder)?,
                Wish::None => {}
            }
            draw(out, session, &state, recorder.is_some())?;
        }
        let is_over = stop.is_asked() || schedule.is_over() || session.is_over();
        if is_over || Instant::now() >= schedule.next() {
            schedule.advance();
            if let Some(frame) = session.next()? {
                session.publish(&frame)?;
                if let Some(recorder) = &mut recorder {
                    recorder.add(session, &frame)?;
                }
                if !state.is_paused {
                    state.tallies.add(&frame, session.names());
                }
            }
            if let Some(note) = session.about.notes.get(noted) {
                state.message.clone_from(note);
                noted = session.about.notes.len();
            }
            draw(out, session, &state, recorder.is_some())?;
        }
        if is_over {
            break;
        }
    }
    if let Some(recorder) = recorder {
        *folder = Some(recorder.finish()?.display().to_string());
    }
    // Ctrl-C ends the command, too, and is no fault of it.
    if stop.is_asked() { Ok(()) } else { session.outcome() }
}

/// Starts a recording, or ends it.
fn toggle(
    arguments: &Arguments,
    session: &Session,
    recorder: &mut Option<Recorder>,
    state: &mut State,
    folder: &mut Option<String>,
) -> Result<(), Failure> {
    if let Some(running) = recorder.take() {
        let path = running.finish()?.display().to_string();
        state.message = format!("recorded: {path}");
        *folder = Some(path);
        return Ok(());
    }
    // A name that is free, so that nothing is lost.
    let base = arguments.out.clone().unwrap_or_else(|| "wattline-recording".into());
    let names = (1..1000).map(|number| match number {
        1 => base.clone(),
        number => base.with_file_name(format!(
            "{}-{number}",
            base.file_name().map_or_else(|| "recording".into(), |name| name.to_string_lossy())
        )),
    });
    let Some(free) = names.into_iter().find(|path| !path.exists()) else {
        state.message = "no free name for a recording; give --out".into();
        return Ok(());
    };
    *recorder = Some(Recorder::open(&free, Existing::Keep, &session.about)?);
    state.message = format!("recording to {}", free.display());
    Ok(())
}

impl State {
    fn new(session: &Session) -> State {
        let calls = session.calls();
        let level = if session.jvm.is_some() { Level::Methods } else { Level::Processes };
        let choice = Choice { level, sort: Sort::Power, filter: String::new(), skip: 0, calls };
        let message = session.about.notes.first().cloned().unwrap_or_default();
        State { choice, tallies: Tallies::default(), is_paused: false, is_typing: false, message }
    }

    fn handle(&mut self, event: Event) -> Wish {
        let Event::Key(key) = event else { return Wish::None };
        if key.kind == KeyEventKind::Release {
            return Wish::None;
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Wish::Quit;
        }
        if self.is_typing { self.type_filter(key) } else { self.command(key) }
    }

    fn type_filter(&mut self, key: KeyEvent) -> Wish {
        match key.code {
            KeyCode::Enter => self.is_typing = false,
            KeyCode::Esc => {
                self.is_typing = false;
                self.choice.filter.clear();
            }
            KeyCode::Backspace => drop(self.choice.filter.pop()),
            KeyCode::Char(letter) => self.choice.filter.push(letter),
            _ => {}
        }
        self.choice.skip = 0;
        Wish::None
    }

    fn command(&mut self, key: KeyEvent) -> Wish {
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return Wish::Quit,
            KeyCode::Char('p' | ' ') => self.is_paused = !self.is_paused,
            KeyCode::Char('s') => self.choice.sort = self.choice.sort.next(),
            KeyCode::Char('/') => self.is_typing = true,
            KeyCode::Char('r') => return Wish::Record,
            KeyCode::Char('a') => return Wish::Share,
            KeyCode::Tab => self.next_level(),
            KeyCode::Down | KeyCode::Char('j') => self.choice.skip += 1,
            KeyCode::PageDown => self.choice.skip += 20,
            KeyCode::Up | KeyCode::Char('k') => {
                self.choice.skip = self.choice.skip.saturating_sub(1)
            }
            KeyCode::PageUp => self.choice.skip = self.choice.skip.saturating_sub(20),
            KeyCode::Home => self.choice.skip = 0,
            _ => {}
        }
        Wish::None
    }

    /// The next level that has rows.
    fn next_level(&mut self) {
        let at = Level::ALL.iter().position(|level| *level == self.choice.level).unwrap_or(0);
        let mut others = Level::ALL.iter().cycle().skip(at + 1).take(Level::ALL.len());
        if let Some(level) = others.find(|level| self.tallies.has(**level)) {
            (self.choice.level, self.choice.skip) = (*level, 0);
        }
    }
}

fn draw(
    out: &mut Stdout,
    session: &Session,
    state: &State,
    is_recording: bool,
) -> Result<(), Failure> {
    let (columns, rows) = size().unwrap_or((100, 30));
    let (columns, rows) = (usize::from(columns).max(20), usize::from(rows).max(6));
    let about = &session.about;
    let flags = [(state.is_paused, "PAUSED"), (is_recording, "RECORDING")];
    let flags: Vec<&str> = flags.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
    let mut lines = vec![
        format!("wattline monitor  {}  {:.0} s  {}", about.host, about.duration_s, flags.join(" ")),
        format!("{}  [{}; share of {}]", state.tallies.parts(), about.meter(), about.share),
        match state.is_typing {
            true => format!("filter: {}_", state.choice.filter),
            false => state.choice.line(),
        },
        state.message.clone(),
    ];
    lines.extend(state.tallies.lines(&state.choice, columns));
    lines.truncate(rows - 1);
    lines.resize(rows - 1, String::new());
    lines.push("q quit  p pause  s sort  / filter  Tab level  a share  r record".into());
    let result = (|| {
        for (row, line) in lines.iter().enumerate() {
            let (row, bold) = (u16::try_from(row).unwrap_or(u16::MAX), row == 4 || row + 1 == rows);
            let attribute = if bold { Attribute::Reverse } else { Attribute::Reset };
            queue!(
                out,
                cursor::MoveTo(0, row),
                SetAttribute(attribute),
                Print(cut(line, columns)),
                SetAttribute(Attribute::Reset),
                Clear(ClearType::UntilNewLine)
            )?;
        }
        out.flush()
    })();
    result.map_err(Failure::io("draw on", "the terminal"))
}
