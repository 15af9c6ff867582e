//! The live view on a terminal, like `top`.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use ratatui::style::Stylize;
use ratatui::text::Line;
use ratatui::{DefaultTerminal, Frame};

use crate::failure::Failure;
use crate::folder::OnExisting;
use crate::recording::RecordingHeader;

use super::super::outcome::CommandOutcome;
use super::super::progress;
use super::super::stop::StopRequest;
use super::arguments::Arguments;
use super::choice::{ListLevel, ListOptions, SortKey};
use super::record::Recorder;
use super::session::MonitorSession;
use super::view::{Tallies, cut};

/// What the user is doing.
struct ScreenState {
    choice: ListOptions,
    tallies: Tallies,
    is_paused: bool,
    is_typing: bool,
    message: String,
    /// How many of the session's notes were shown.
    noted: usize,
}

/// What a key asks for beyond the view.
enum Wish {
    None,
    Quit,
    Record,
    Share,
}

/// Monitors with a screen, until the user, the duration or the command ends it. The terminal is
/// left as it was, also after a failure.
pub fn run(arguments: &Arguments, session: &mut MonitorSession) -> Result<CommandOutcome, Failure> {
    let mut terminal = ratatui::try_init().map_err(Failure::io("draw on", "the terminal"))?;
    let mut folder = None;
    let ended = watch(arguments, session, &mut terminal, &mut folder);
    ratatui::restore();
    if let Some(folder) = folder {
        progress::say(format!("written: {folder}"));
    }
    ended
}

fn watch(
    arguments: &Arguments,
    session: &mut MonitorSession,
    terminal: &mut DefaultTerminal,
    folder: &mut Option<String>,
) -> Result<CommandOutcome, Failure> {
    let stop = StopRequest::listen();
    let mut recorder = Recorder::wanted(arguments, &session.about)?;
    let mut state = ScreenState::new(session);
    let mut schedule = arguments.schedule();
    let mut draw = |session: &MonitorSession, state: &ScreenState, is_recording| {
        let drawn = terminal.draw(|frame| state.show(frame, &session.about, is_recording));
        drawn.map(drop).map_err(Failure::io("draw on", "the terminal"))
    };
    draw(session, &state, recorder.is_some())?;
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
            draw(session, &state, recorder.is_some())?;
        }
        let is_over = stop.is_asked() || schedule.is_over() || session.is_over();
        let (is_asked, is_due) = (session.is_asked(), Instant::now() >= schedule.next());
        if is_over || is_asked || is_due {
            if is_over || is_due {
                schedule.advance();
            }
            state.take_interval(session, recorder.as_mut())?;
            session.obey();
            draw(session, &state, recorder.is_some())?;
        }
        if is_over {
            break;
        }
    }
    if let Some(recorder) = recorder {
        *folder = Some(recorder.finish()?.display().to_string());
    }
    // Ctrl-C ends the command, too, and is no fault of it.
    Ok(if stop.is_asked() { CommandOutcome::Done } else { session.outcome() })
}

/// Starts a recording, or ends it.
fn toggle(
    arguments: &Arguments,
    session: &MonitorSession,
    recorder: &mut Option<Recorder>,
    state: &mut ScreenState,
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
    *recorder = Some(Recorder::open(&free, OnExisting::Refuse, &session.about)?);
    state.message = format!("recording to {}", free.display());
    Ok(())
}

impl ScreenState {
    fn new(session: &MonitorSession) -> ScreenState {
        let calls = session.calls();
        let level = if session.jvm.is_some() { ListLevel::Methods } else { ListLevel::Processes };
        let choice =
            ListOptions { level, sort: SortKey::Power, filter: String::new(), skip: 0, calls };
        let message = session.about.notes.first().cloned().unwrap_or_default();
        ScreenState {
            choice,
            tallies: Tallies::default(),
            is_paused: false,
            is_typing: false,
            message,
            noted: session.about.notes.len(),
        }
    }

    /// Takes up the session's next interval, and its next note.
    fn take_interval(
        &mut self,
        session: &mut MonitorSession,
        recorder: Option<&mut Recorder>,
    ) -> Result<(), Failure> {
        if let Some(frame) = session.next()? {
            session.publish(&frame)?;
            if let Some(recorder) = recorder {
                recorder.add(session, &frame)?;
            }
            if !self.is_paused {
                self.tallies.add(&frame, session.names());
            }
        }
        if let Some(note) = session.about.notes.get(self.noted) {
            self.message.clone_from(note);
            self.noted = session.about.notes.len();
        }
        Ok(())
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
        let at = ListLevel::ALL.iter().position(|level| *level == self.choice.level).unwrap_or(0);
        let mut others = ListLevel::ALL.iter().cycle().skip(at + 1).take(ListLevel::ALL.len());
        if let Some(level) = others.find(|level| self.tallies.has(**level)) {
            (self.choice.level, self.choice.skip) = (*level, 0);
        }
    }

    fn show(&self, frame: &mut Frame<'_>, about: &RecordingHeader, is_recording: bool) {
        let (columns, rows) = (usize::from(frame.area().width), usize::from(frame.area().height));
        let flags = [(self.is_paused, "PAUSED"), (is_recording, "RECORDING")];
        let flags: Vec<&str> = flags.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
        let (host, duration_s) = (&about.host, about.duration_s);
        let mut lines = vec![
            format!("wattline monitor  {host}  {duration_s:.0} s  {}", flags.join(" ")),
            format!("{}  [{}; share of {}]", self.tallies.parts(), about.meter(), about.share),
            match self.is_typing {
                true => format!("filter: {}_", self.choice.filter),
                false => self.choice.line(),
            },
            self.message.clone(),
        ];
        lines.extend(self.tallies.lines(&self.choice, columns));
        lines.resize(rows.saturating_sub(1), String::new());
        lines.push("q quit  p pause  s sort  / filter  Tab level  a share  r record".into());
        for (at, (line, row)) in lines.iter().zip(frame.area().rows()).enumerate() {
            let line = Line::raw(cut(line, columns));
            let is_head = at == HEAD || at + 1 == rows;
            frame.render_widget(if is_head { line.reversed() } else { line }, row);
        }
    }
}

/// The line with the titles of the columns.
const HEAD: usize = 4;

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::style::Modifier;

    use super::*;

    #[test]
    fn rows_stand_between_what_is_measured_and_the_keys() {
        let mut tallies = Tallies::default();
        tallies.count(ListLevel::Methods, "a.A.x()".into(), (3.0, 0.5, Some(3)), 2.0);
        let (level, sort, filter) = (ListLevel::Methods, SortKey::Power, String::new());
        let choice = ListOptions { level, sort, filter, skip: 0, calls: "calls" };
        let message = "a \u{1b}[2J note".into();
        let state =
            ScreenState { choice, tallies, is_paused: true, is_typing: false, message, noted: 0 };
        let about =
            RecordingHeader { host: "here".into(), duration_s: 2.0, ..RecordingHeader::default() };
        let mut terminal = Terminal::new(TestBackend::new(60, 9)).unwrap();
        terminal.draw(|frame| state.show(frame, &about, false)).unwrap();
        let buffer = terminal.backend().buffer();
        let rows: Vec<String> = buffer
            .content()
            .chunks(60)
            .map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().into())
            .collect();
        assert_eq!(rows[0], "wattline monitor  here  2 s  PAUSED");
        assert!(rows[1].starts_with("no figure in this cycle  ["), "{}", rows[1]);
        assert_eq!(rows[2..4], ["methods by power, filter: none", "a \\u001B[2J note"]);
        assert_eq!(rows[4], "    power    cpu    energy      calls  per call  methods");
        assert_eq!(rows[5], "   1.50 W  25.0%    3.00 J          3    1.00 J  a.A.x()");
        assert_eq!(rows[6..8], ["", ""]);
        assert_eq!(rows[8], "q quit  p pause  s sort  / filter  Tab level  a share  r rec");
        let reversed = |row| buffer[(0, row)].modifier.contains(Modifier::REVERSED);
        assert_eq!((0..9).filter(|row| reversed(*row)).collect::<Vec<u16>>(), [4, 8]);
    }

    #[test]
    fn a_small_terminal_has_what_fits() {
        let (level, sort, filter) = (ListLevel::Processes, SortKey::Name, "x".into());
        let choice = ListOptions { level, sort, filter, skip: 3, calls: "calls" };
        let (tallies, message) = (Tallies::default(), String::new());
        let state =
            ScreenState { choice, tallies, is_paused: false, is_typing: true, message, noted: 0 };
        for (width, height) in [(0, 0), (1, 1), (5, 3), (300, 2)] {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| state.show(frame, &RecordingHeader::default(), true)).unwrap();
        }
    }
}
