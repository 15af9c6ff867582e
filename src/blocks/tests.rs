//! Tests of the division: small Java, and its blocks as text.

use super::*;
use crate::java::SourceFile;

/// Every block as `name lines: parts`.
fn drawn(java: &str, granularity: Granularity) -> String {
    let file = SourceFile::parse("T.java", java);
    let blocks = divide(&file, granularity);
    let mut text = String::new();
    for block in &blocks.blocks {
        let parts: Vec<_> = block.parts.iter().map(|p| flat(file.text_of(*p))).collect();
        let lines = format!("{}-{}", block.start_line, block.end_line);
        text += &format!("{} {lines}: {}\n", block.name, parts.join(" | "));
    }
    for finding in &blocks.findings {
        text += &format!("! {}: {}\n", finding.line, finding.message);
    }
    text
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The blocks of a method's body.
fn body(java: &str) -> String {
    drawn(&format!("class T {{ void m() {{ {java} }} }}"), Granularity::Statement)
}

#[test]
fn a_try() {
    println!("{}", body("int a = 1; if (a > 0) b(); else if (c) d(); e();"));
    println!("{}", body("for (int i = 0; i < 3; i++) { f(i); } for (;;) { if (x) break; }"));
    println!("{}", body("l: { a(); if (c) break l; b(); } d(); synchronized (this) { e(); } f();"));
    println!(
        "{}",
        body("int y = switch (k) { case 1 -> 2; case 2: default -> { z(); yield 3; } }; g();")
    );
    println!(
        "{}",
        body(
            "switch (k) { case 1: case 2: a(); break; default: } g(); try (R r = o()) { h(); } catch (E e) { i(); } finally { } j(); do ; while (k()); Runnable q = () -> { n(() -> 5); };"
        )
    );
}

#[test]
fn deep_nesting_is_no_limit() {
    let deep = 100_000;
    let java = format!(
        "class T {{ void m() {{ {} x(); {} }} int f() {{ return {}1{}; }} Object o() {{ return {}1{}; }} }}",
        "if (a) { ".repeat(deep),
        "}".repeat(deep),
        "(".repeat(deep),
        ")".repeat(deep),
        "f(() -> ".repeat(1_000),
        ")".repeat(1_000),
    );
    let file = SourceFile::parse("T.java", java);
    let blocks = divide(&file, Granularity::Expression);
    assert!(blocks.blocks.len() > deep);
    assert!(!blocks.findings.is_empty(), "the innermost lambdas can't be named");
}
