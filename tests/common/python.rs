//! A Python for tests that hold what is written against another program's reader.

/// A Python that has a module: `WATTLINE_PYTHON`, or the one on the path.
pub(crate) fn python_with(module: &str) -> Option<String> {
    let python = std::env::var("WATTLINE_PYTHON").unwrap_or_else(|_| "python3".into());
    let mut command = std::process::Command::new(&python);
    let output = command.args(["-c", &format!("import {module}")]).output().ok()?;
    output.status.success().then_some(python)
}
