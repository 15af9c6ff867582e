//! Blocks that follow from others in threads that never end and at the end of a stack.

use super::java::{Build, has_jdk};
use super::{divided, with};
use wattline::blocks::Granularity;
use wattline::instrument::Probe;
use wattline::java::SourceFile;

/// A daemon stays in a loop for ever; a recursion overflows the stack.
const PROGRAM: &str = "
class Endless {
    static volatile boolean stop;
    static volatile int[] values = {1, 2, 3};
    static volatile int spun;
    static void spin(int rounds) {
        while (!stop) {
            if (values[0] < 0) {
                rounds = 0;
            }
            for (int i = 0; i < rounds; i++) spun += values[i];
        }
        spun = -1;
    }
    static int deep(int n) {
        int sum = 0;
        for (int i = 0; i < values.length; i++) {
            if (values[i] > n) sum++;
        }
        sum++;
        return deep(n + 1) + sum;
    }
    public static void main(String[] args) throws Exception {
        try {
            deep(0);
        } catch (StackOverflowError e) {
            System.out.println(\"overflow\");
        }
        Thread daemon = new Thread(() -> spin(3));
        daemon.setDaemon(true);
        daemon.start();
        while (spun == 0) Thread.sleep(1);
        System.exit(3);
    }
}
";

#[test]
fn a_loop_that_never_ends_has_not_been_left() {
    if !has_jdk() {
        return;
    }
    let files = [SourceFile::parse("Endless.java", PROGRAM)];
    let blocks = divided(&files, Granularity::Statement);
    for probe in [Probe::Count, Probe::Window] {
        let build = Build::new(&with(&files, &blocks, probe), &[]).expect("it compiles");
        let ended = build.run("Endless");
        assert!(ended.ends_with("exit code Some(3)"), "{ended}");
        let counts = build.counts();
        let of = |name: &str| {
            let named = |block: &wattline::blocks::Block| block.name == format!("Endless.{name}");
            let block = blocks[0].blocks.iter().position(named).unwrap();
            counts.get(&block).copied().unwrap_or(0)
        };
        assert_eq!(of("spin(int)"), 1);
        assert_eq!(of("spin(int).if_1"), 0);
        assert_eq!(of("spin(int).after_2"), 0, "the loop is never left");
        assert!(of("spin(int).for_1") > 0);
        // The last call may not come as far as into its loop, and no other stops there.
        let depth = of("deep(int)");
        assert!(depth > 100);
        assert!((3 * depth - 3..=3 * depth).contains(&of("deep(int).for_1")), "{counts:?}");
        let ended = of("deep(int).after_1");
        assert!((depth - 1..=depth).contains(&ended), "{ended} of {depth}");
        let tests = of("deep(int).for_1.test");
        assert!((4 * depth - 4..=4 * depth).contains(&tests), "{tests} of {depth}");
    }
}
