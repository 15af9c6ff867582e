//! What the four texts say of the same comparisons, and that names can't break them.

use super::*;
use crate::account::MethodKey;
use crate::compare::budget::Budget;

fn row(subject: Subject, figures: [f64; 4], verdict: Option<GateVerdict>) -> ChangeRow {
    let [base, new, lo, hi] = figures;
    let interval = Interval { lo: Joules(lo), hi: Joules(hi) };
    let change = EnergyChange {
        base: Some(Joules(base)),
        new: Some(Joules(new)),
        interval: Some(interval),
        share_interval: Some((lo / base, hi / base)),
    };
    ChangeRow { subject, change, verdict, remark: String::new() }
}

/// 60 J -> 63 J (+2 to +4 J), one method with a hostile name, one budget exceeded.
fn comparison(verdict: GateVerdict) -> Comparison {
    let class = "a.<script>|`\n".to_string();
    let method = MethodKey { class, method: "run(\"x\"&)".into() };
    let budget = Budget { level: "method", name: "a.<b>".into(), joules: Joules(1.0) };
    Comparison {
        mode: CompareMode::Measured,
        limit: AllowedIncrease(0.01),
        headline: row(Subject::Scenario("walk".into()), [60.0, 63.0, 2.0, 4.0], Some(verdict)),
        inputs: vec![row(Subject::Input("north".into()), [60.0, 63.0, 2.0, 4.0], None)],
        classes: Vec::new(),
        methods: vec![row(Subject::Method(method), [1.0, 2.0, 0.9, 1.1], None)],
        unchanged: 7,
        budgets: vec![BudgetRow {
            budget,
            energy: Some(Joules(2.0)),
            interval: Some(Interval { lo: Joules(1.9), hi: Joules(2.1) }),
            verdict: GateVerdict::OverBudget,
        }],
        duration_s: 12.5,
        notes: vec!["<virtual> board".into()],
        recorded: None,
    }
}

#[test]
fn the_worst_verdict_counts() {
    assert_eq!(comparison(GateVerdict::Pass).verdict(), GateVerdict::OverBudget);
    assert_eq!(comparison(GateVerdict::Increase).verdict(), GateVerdict::Increase);
    assert_eq!(comparison(GateVerdict::NoData).verdict(), GateVerdict::NoData);
    let mut kept = comparison(GateVerdict::Pass);
    kept.budgets.clear();
    assert_eq!(kept.verdict(), GateVerdict::Pass);
}

/// An energy that fell, over a budget all the same, did not increase.
#[test]
fn an_improvement_over_budget_is_over_budget() {
    let mut comparison = comparison(GateVerdict::Pass);
    comparison.headline =
        row(Subject::Scenario("walk".into()), [60.0, 57.0, -4.0, -2.0], Some(GateVerdict::Pass));
    let sentence = text::verdict_sentence(&comparison);
    let expected = "over budget: method a.<b> with 2.00 J of 1.00 J; the change is −5.0 %";
    assert!(sentence.starts_with(expected), "{sentence}");
    let value: serde_json::Value = serde_json::from_str(&json::json(&comparison)).unwrap();
    assert_eq!(
        (&value["verdict"], &value["scenario"]["verdict"]),
        (&"over budget".into(), &"pass".into())
    );
    for text in [text::text(&comparison, 10), markdown::markdown(&comparison, 10)] {
        assert!(text.contains("over budget") && !text.contains("increase"), "{text}");
    }
}

#[test]
fn the_text_has_figures_intervals_and_the_verdict() {
    let text = text::text(&comparison(GateVerdict::Increase), 10);
    assert!(text.contains("60.0 J"), "{text}");
    assert!(text.contains("+2.00 J to +4.00 J"), "{text}");
    assert!(text.contains("+5.0 %"), "{text}");
    assert!(text.contains("verdict: increase: +5.0 % (+3.3 % to +6.7 %), over the limit of 1.0 %"));
    let cut = text::text(&comparison(GateVerdict::Increase), 0);
    assert!(cut.contains("... and 1 more"), "{cut}");
}

#[test]
fn names_are_inert_in_markdown() {
    let text = markdown::markdown(&comparison(GateVerdict::Increase), 10);
    assert!(text.contains("### ❌ Energy: increase"), "{text}");
    assert!(text.contains("`a.<script>\\|' .run(\"x\"&)`"), "{text}");
    assert!(text.contains("&lt;virtual&gt;"), "{text}");
    let methods = text.lines().filter(|line| line.starts_with("| method")).count();
    assert_eq!(methods, 2, "one row of the table, one budget: {text}");
}

#[test]
fn json_holds_joules_and_nulls() {
    let mut comparison = comparison(GateVerdict::NoData);
    comparison.headline.change = EnergyChange::default();
    let value: serde_json::Value = serde_json::from_str(&json::json(&comparison)).unwrap();
    assert_eq!(value["verdict"], "no data");
    assert!(value["scenario"]["change_j"].is_null() && value["scenario"]["base_j"].is_null());
    assert_eq!(value["inputs"][0]["change_lo_j"], 2.0);
    assert_eq!(value["budgets"][0]["budget_j"], 1.0);
}

#[test]
fn junit_has_a_failure_and_an_error_where_they_belong() {
    let xml = junit::junit(&comparison(GateVerdict::NoData));
    let suite = &quick_junit::Report::deserialize_from_str(&xml).unwrap().test_suites[0];
    assert_eq!((suite.tests, suite.failures, suite.errors), (2, 1, 1), "{xml}");
    let named = |name: &str| suite.test_cases.iter().find(|case| case.name.as_str() == name);
    assert!(named("budget of method a.<b>").is_some(), "{xml}");
    assert!(junit::junit(&comparison(GateVerdict::Pass)).contains("<system-out>pass: +5.0 %"));
}

/// The scenario's case took what the runs took, and so did all together.
#[test]
fn junit_has_times_in_seconds() {
    let xml = junit::junit(&comparison(GateVerdict::Pass));
    let report = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    let suite = &report.test_suites[0];
    let times: Vec<f64> =
        suite.test_cases.iter().map(|case| case.time.unwrap().as_secs_f64()).collect();
    assert_eq!(times, [12.5, 0.0]);
    let sums = [report.time, suite.time].map(|time| time.unwrap().as_secs_f64());
    assert_eq!(sums, [12.5, 12.5]);
}

#[test]
fn the_published_schema_describes_the_json() {
    let text = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/compare.schema.json"
    ));
    let schema: serde_json::Value = serde_json::from_str(text).unwrap();
    for verdict in
        [GateVerdict::Pass, GateVerdict::OverBudget, GateVerdict::Increase, GateVerdict::NoData]
    {
        let value: serde_json::Value =
            serde_json::from_str(&json::json(&comparison(verdict))).unwrap();
        let found = crate::schema::violations(&schema, &value, "compare");
        assert_eq!(found, [""; 0]);
    }
}

/// What recordings have beyond energies is described as well, and is in every text.
#[test]
fn recordings_have_parts_of_the_whole_in_every_text() {
    let named = |name: &str, joules| {
        let key = MethodKey { class: "a.\u{1b}[2J<b>|".into(), method: name.into() };
        (key, joules)
    };
    let run = |x: f64| RecordedRun {
        duration_s: 10.0,
        machine_j: 40.0,
        whole_j: x + 5.0,
        methods: [named("x()", x), named("y()", 3.0), named("z()", 1.0)].into(),
        rests: vec![("the JVM itself", 1.0)],
    };
    let (base, new) = ([run(10.0), run(11.0)], [run(2.0)]);
    let sides =
        RecordedSides { whole: "the JVM", has_classes: true, base: &base, new: &new, between: 0.0 };
    let comparison = sides.compare(AllowedIncrease(0.0));
    let text = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/compare.schema.json"
    ));
    let schema: serde_json::Value = serde_json::from_str(text).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json::json(&comparison)).unwrap();
    assert_eq!(crate::schema::violations(&schema, &value, "compare"), [""; 0]);
    let parts = value["recorded"]["shares"].as_array().unwrap();
    assert!((parts[2]["new_share"].as_f64().unwrap() - 3.0 / 7.0).abs() < 1e-12, "{parts:?}");
    for text in [text::text(&comparison, 10), markdown::markdown(&comparison, 10)] {
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        for part in ["of the whole", "arts of methods \u{b1}", "1 recording, so nothing"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    assert!(junit::junit(&comparison).contains("recording the JVM"));
}

/// Whatever names hold, JUnit stays well-formed, and no text changes how a terminal or a page
/// shows what is around it.
#[test]
fn control_characters_of_names_reach_no_output() {
    let evil = "a\u{1b}[2J\u{9b}1m\u{202e}\u{0}\u{b}\u{fffe}\u{ffff}\nverdict: pass";
    let mut comparison = comparison(GateVerdict::Increase);
    comparison.headline.subject = Subject::Scenario(evil.into());
    comparison.inputs[0].subject = Subject::Input(evil.into());
    comparison.budgets[0].budget.name = evil.into();
    comparison.notes = vec![evil.into()];
    comparison.headline.remark = evil.into();
    let texts = [
        text::text(&comparison, 10),
        markdown::markdown(&comparison, 10),
        junit::junit(&comparison),
    ];
    for text in texts {
        let shown =
            |c: char| c == '\n' || !(c.is_control() || "\u{202e}\u{fffe}\u{ffff}".contains(c));
        assert!(text.chars().all(shown), "{text:?}");
        assert!(text.contains("\\u001B[2J\\u009B1m\\u202E"), "{text}");
        assert!(!text.lines().any(|line| line.starts_with("verdict: pass")), "{text}");
    }
}
