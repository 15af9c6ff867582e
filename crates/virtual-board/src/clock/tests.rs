//! Tests of the clock with applications only, which need no processes.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs sleepers of whole applications, which need no processes, and gives the
/// order in which they were woken.
fn order(sleeps: &[(u32, &[u64])]) -> Vec<(u64, u32)> {
    let clock = BoardClock::new(100);
    let woken = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let start = clock.hold();
        let running: Vec<_> = sleeps
            .iter()
            .map(|(number, durations)| {
                let hold = clock.hold();
                let (clock, woken) = (&clock, &woken);
                scope.spawn(move || {
                    for duration in *durations {
                        clock
                            .sleep_releasing_hold(&hold, *duration, Sleeper::Application(*number))
                            .unwrap();
                        woken.lock().unwrap().push((clock.now_ns(), *number));
                    }
                })
            })
            .collect();
        scope.spawn(|| clock.run(Duration::from_secs(5), |_| (), || (), |_| panic!("stuck")));
        drop(start);
        running.into_iter().for_each(|thread| thread.join().unwrap());
        clock.stop();
    });
    woken.into_inner().unwrap()
}

#[test]
fn sleepers_wake_in_order_of_time_and_number() {
    let woken = order(&[(7, &[10, 10, 30]), (3, &[20, 5]), (5, &[50])]);
    let expected = [(110, 7), (120, 3), (120, 7), (125, 3), (150, 5), (150, 7)];
    assert_eq!(woken, expected);
}

#[test]
fn an_interrupted_sleeper_does_not_move_the_clock() {
    let clock = BoardClock::new(0);
    let hold = clock.hold();
    let sleeper = Sleeper::Application(1);
    thread::scope(|scope| {
        let sleeping = scope.spawn(|| clock.sleep_releasing_hold(&hold, 1_000, sleeper));
        while clock.lock().sleepers.is_empty() {
            thread::yield_now();
        }
        clock.interrupt(sleeper);
        assert_eq!(sleeping.join().unwrap(), Err(SleepInterrupted));
        assert_eq!(clock.sleep_releasing_hold(&hold, 1_000, sleeper), Err(SleepInterrupted));
    });
    assert_eq!((clock.now_ns(), clock.lock().holds), (0, 1));
}

#[test]
fn the_clock_does_not_go_to_the_end_of_time() {
    let clock = BoardClock::new(100);
    let holds = [clock.hold(), clock.hold()];
    thread::scope(|scope| {
        let [ends, hangs] = &holds;
        let sleeping =
            scope.spawn(|| clock.sleep_releasing_hold(ends, 10, Sleeper::Application(1)));
        let hanging =
            scope.spawn(|| clock.sleep_releasing_hold(hangs, FOR_EVER, Sleeper::Application(2)));
        while clock.lock().sleepers.len() < 2 {
            thread::yield_now();
        }
        scope.spawn(|| clock.run(Duration::from_secs(5), |_| (), || (), |_| panic!("stuck")));
        assert_eq!(sleeping.join().unwrap(), Ok(()));
        clock.lock().holds -= 1;
        assert!(!clock.lock().may_pass(), "nobody will ever be woken");
        assert_eq!(clock.now_ns(), 110);
        clock.stop();
        assert_eq!(hanging.join().unwrap(), Err(SleepInterrupted));
        clock.lock().holds += 1;
    });
}

#[test]
fn the_clock_stands_while_shells_are_roused_and_looks_at_them_again() {
    let clock = BoardClock::new(0);
    let before = clock.lock().shell_changes;
    let mut held = 0;
    clock.rouse_shells(|| held = clock.lock().holds);
    assert_eq!((held, clock.lock().holds), (1, 0));
    assert_ne!(clock.lock().shell_changes, before, "known to be quiet no longer");
}

#[test]
fn a_reset_keeps_what_is_left_to_sleep() {
    let clock = BoardClock::new(500);
    let mut state = clock.lock();
    let _woken = clock.enqueue(&mut state, 530, Sleeper::Application(1));
    drop(state);
    clock.reset(100);
    assert_eq!(clock.lock().sleepers.keys().next().unwrap().0, 130);
}

#[test]
fn time_passes_for_what_a_hosts_command_waits_for() {
    let clock = BoardClock::new(0);
    let pid = std::process::id();
    let command = |started| Sleeper::Command { started, shell: pid, pid };
    clock.update_state(|state| state.waiting_hosts = 1);
    let (clock, stuck) = (&clock, &AtomicUsize::new(0));
    thread::scope(|scope| {
        let session = scope.spawn(|| clock.sleep(20, command(5)));
        while clock.lock().sleepers.is_empty() {
            thread::yield_now();
        }
        clock.set_beside_since(Some(7));
        let patience = Duration::from_millis(5);
        let count = |_| {
            stuck.fetch_add(1, Ordering::Relaxed);
        };
        scope.spawn(move || clock.run(patience, |_| (), || (), count));
        thread::sleep(10 * patience);
        let before = (clock.now_ns(), stuck.load(Ordering::Relaxed));
        let woken = clock.sleep(10, command(8)).map(|()| clock.now_ns());
        clock.set_beside_since(None);
        let end = session.join().unwrap().map(|()| clock.now_ns());
        clock.stop();
        assert_eq!(before, (0, 0), "the command does something on the host");
        assert_eq!((woken, end), (Ok(10), Ok(20)));
    });
}

#[test]
fn a_sleeper_is_woken_early_but_not_before_a_time() {
    let clock = BoardClock::new(0);
    let hold = clock.hold();
    let sleeper = Sleeper::Application(1);
    thread::scope(|scope| {
        let sleeping = scope.spawn(|| clock.sleep_releasing_hold(&hold, 1_000, sleeper));
        while clock.lock().sleepers.is_empty() {
            thread::yield_now();
        }
        clock.wake_earlier(sleeper, 30);
        clock.wake_earlier(sleeper, 400);
        scope.spawn(|| clock.run(Duration::from_secs(5), |_| (), || (), |_| panic!("stuck")));
        assert_eq!(sleeping.join().unwrap(), Ok(()));
        assert_eq!(clock.now_ns(), 30);
        clock.stop();
    });
}
