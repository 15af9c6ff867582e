//! The instructions of class files and of DEX files, listed by a Java program with the libraries
//! that read both.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::private_files::TemporaryFolder;

use super::android::code_reader_jars;
use super::cached_program::{JavaProgram, load_or_compile};
use super::{Jdk, ToolchainError, UTF8_LOCALE};

const CLASS: &str = "CodeListing";
const PROGRAM: [&str; 2] =
    [include_str!("java/CodeListing.java"), include_str!("java/ClassCode.java")];

/// File format in which a method's code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodeFormat {
    /// Bytecode of a class file.
    ClassFile,
    /// Instructions of a DEX file.
    Dex,
}

/// One instruction of a method.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedInstruction {
    /// Its mnemonic: `iadd`, `add-int/2addr`.
    pub name: String,
    /// The member, type or constant of a class file's instruction; empty without one.
    pub operand: String,
    /// Number, within the method, of the instruction that it jumps to.
    pub target: Option<usize>,
}

/// A method with its instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedMethod {
    /// Format of the code.
    pub format: CodeFormat,
    /// Binary name of the class: `com.example.Outer$Inner`.
    pub class: String,
    /// Name of the method.
    pub name: String,
    /// Its descriptor: `(I)V`.
    pub descriptor: String,
    /// Its instructions in order.
    pub instructions: Vec<ListedInstruction>,
}

/// Lists the code of all class files and DEX files in these archives.
///
/// # Errors
/// The program that reads them can't be built or started; an archive that it can't read.
pub fn list_code(jdk: &Jdk, archives: &[PathBuf]) -> Result<Vec<ListedMethod>, ToolchainError> {
    let folder = TemporaryFolder::new("listing")
        .map_err(ToolchainError::io("create", std::env::temp_dir()))?;
    let mut input = Vec::new();
    for archive in archives {
        input.extend_from_slice(archive.as_os_str().as_encoded_bytes());
        input.push(b'\n');
    }
    let mut process = command(jdk, &input, folder.path())?
        .envs(UTF8_LOCALE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(ToolchainError::io("start", &jdk.java))?;
    if let Some(mut requests) = process.stdin.take() {
        // One that ends early gives its reason on standard error.
        let _ = requests.write_all(&input);
    }
    let output = process.wait_with_output().map_err(ToolchainError::io("wait for", &jdk.java))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let message = said.lines().next().unwrap_or_default().to_owned();
        return Err(ToolchainError::Refused { program: "the listing of instructions", message });
    }
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
}

/// The command that lists code; `folder` is for the program where there is no persistent cache.
fn command(jdk: &Jdk, input: &[u8], folder: &Path) -> Result<Command, ToolchainError> {
    let libraries = code_reader_jars()?;
    let program = JavaProgram { class: CLASS, text: PROGRAM.concat(), libraries: &libraries };
    let first_run = |_: &Path, _: &Path, _: &Path| Ok(input.to_vec());
    program.command(jdk, load_or_compile(jdk, &program, &first_run)?, folder)
}

/// The methods of a listing. Lines of another kind are skipped.
fn parse(text: &str) -> Vec<ListedMethod> {
    let mut methods: Vec<ListedMethod> = Vec::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["method", format, class, name, descriptor] => methods.push(ListedMethod {
                format: if *format == "dex" { CodeFormat::Dex } else { CodeFormat::ClassFile },
                class: (*class).to_owned(),
                name: (*name).to_owned(),
                descriptor: (*descriptor).to_owned(),
                instructions: Vec::new(),
            }),
            ["instruction", rest @ ..] => {
                if let Some((method, one)) = methods.last_mut().zip(parse_instruction(rest)) {
                    method.instructions.push(one);
                }
            }
            _ => {}
        }
    }
    methods
}

/// An instruction of the fields NAME OPERAND TARGET.
pub(crate) fn parse_instruction(fields: &[&str]) -> Option<ListedInstruction> {
    let [name, operand, target] = fields else { return None };
    Some(ListedInstruction {
        name: (*name).to_owned(),
        operand: if *operand == "-" { String::new() } else { (*operand).to_owned() },
        target: target.parse().ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_their_instructions_and_jumps() {
        let text = "method\tclass\ta.B\trun\t(I)V\ninstruction\tiload\t-\t-\n\
                    instruction\tgoto\t-\t0\nother\nmethod\tdex\ta.B\tcall\t()V\n\
                    instruction\treturn-void\t-\t-\n";
        let methods = parse(text);
        assert_eq!(methods.len(), 2);
        assert_eq!(
            (methods[0].format, methods[1].format),
            (CodeFormat::ClassFile, CodeFormat::Dex)
        );
        assert_eq!(methods[0].instructions[1].target, Some(0));
        assert_eq!(methods[0].instructions[0].operand, "");
        assert_eq!(methods[1].instructions[0].name, "return-void");
    }
}
