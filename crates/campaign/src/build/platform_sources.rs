//! Sources of packages `java.*`, which some libraries contain for other platforms (GWT): a JVM
//! takes such classes only from the JDK, so an application never runs them.

use crate::finding::{Finding, FindingKind};

/// A finding for a file of a package of the platform; `None` for other files.
pub(super) fn platform_class_finding(path: &str, text: &str) -> Option<Finding> {
    let package = declared_package(text);
    let is_platform = package.split('.').next() == Some("java");
    let message = || {
        format!(
            "left out: an application takes classes of package {package} from the JDK alone; \
             calls to them are library calls"
        )
    };
    let kind = FindingKind::LeftOut;
    is_platform.then(|| Finding { file: path.to_owned(), line: 0, kind, message: message() })
}

/// Whether a file declares a module of the JDK, so that the sources around it are the JDK's own.
pub(super) fn is_jdk_module(path: &str, text: &str) -> bool {
    let declares = |line: &str| line.trim_start().starts_with("module java.");
    path.ends_with("module-info.java") && text.lines().any(declares)
}

/// The package that a text declares; empty without a declaration.
fn declared_package(text: &str) -> String {
    let mut package = String::new();
    let Some(mut rest) = skip_comments(text.trim_start_matches('\u{feff}')).strip_prefix("package")
    else {
        return package;
    };
    loop {
        rest = skip_comments(rest);
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
        let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
        package.push_str(name);
        match skip_comments(after).strip_prefix('.') {
            Some(after) if !name.is_empty() => rest = after,
            _ => return package,
        }
        package.push('.');
    }
}

/// The text from its first character that is neither white space nor in a comment.
fn skip_comments(text: &str) -> &str {
    let mut text = text.trim_start();
    loop {
        let end = match text.as_bytes() {
            [b'/', b'/', ..] => text.find('\n'),
            [b'/', b'*', ..] => text[2..].find("*/").map(|at| at + 4),
            _ => return text,
        };
        text = end.map_or("", |end| &text[end..]).trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read_as_a_compiler_reads_them() {
        assert_eq!(
            declared_package("\u{feff}// a\n/* package b; */ package/**/java . util ; class A {}"),
            "java.util"
        );
        assert_eq!(declared_package("package javax.sound;"), "javax.sound");
        for none in ["class A {}", "", "/* open", "import java.util.List;", "package;", "package"] {
            assert_eq!(declared_package(none), "", "{none}");
        }
        assert_eq!(declared_package("package a."), "a.");
    }

    #[test]
    fn packages_of_the_platform_alone_are_left_out() {
        let is_left_out = |text: &str| platform_class_finding("A.java", text).is_some();
        assert!(is_left_out("package java.util;") && is_left_out("package java;"));
        assert!(!is_left_out("package javax.sound;") && !is_left_out("package org.java;"));
        assert!(!is_left_out("class A {}"));
    }
}
