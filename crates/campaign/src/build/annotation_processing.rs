//! Annotation processing: the program is compiled once with the processors of the user's build.
//! Generated sources are analysed like other sources; changes to classes (Lombok) are read from the
//! class files, and such processors run again in every compilation; generated classes and other
//! files are added to the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::format::counted;
use crate::java::classpath::{ClassFileOutline, class_file_outline};
use crate::private_files::TemporaryFolder;
use crate::scenario::SourceRole;
use crate::toolchain::annotation_processors::{is_class_writer, processors_on};
use crate::toolchain::compiler::{AnnotationProcessing, CompileRequest};
use crate::toolchain::file_tree::FileTree;
use crate::toolchain::{Compiler, Jdk, jar};

use super::javac_settings::CompiledProgram;
use super::sources::{LoadedSource, Sources};
use super::variant::{Classes, relative_to};
use super::{BuildError, JavacSettings};

/// Output of a run of annotation processors.
struct ProcessorOutput {
    folder: TemporaryFolder,
    classes: Classes,
    generated: BTreeMap<String, String>,
}

/// Compiles the program with the processors of its settings, and adds their output to the sources;
/// returns a remark.
///
/// # Errors
/// The program does not compile; the path has no processor; processors change classes in a way that
/// can't be repeated with other sources.
pub fn run_processors(
    sources: &mut Sources,
    jdk: &Jdk,
    release: Option<u32>,
) -> Result<String, BuildError> {
    let names = processors_on(&sources.javac.processor_path)?;
    if names.is_empty() {
        let path = sources.javac.processor_path.clone();
        return Err(BuildError::NoProcessor { path });
    }
    sources.check_encodings()?;
    let mut compiler = Compiler::start(jdk)?;
    let made = compile_with_processors(sources, &mut compiler, release)?;
    let is_writer = |name: &&String| is_class_writer(name);
    sources.javac.class_writers = names.iter().filter(is_writer).cloned().collect();
    let generated = made.generated.len();
    add_generated(sources, &made.generated);
    add_others(sources, &made)?;
    let others: Vec<String> = names.iter().filter(|name| !is_writer(name)).cloned().collect();
    if !others.is_empty() {
        check_repeats(sources, &mut compiler, release, (&made.classes, &others))?;
    }
    sources.javac.compiled = Some(Arc::new(CompiledProgram::new(made.folder)));
    let count = names.len();
    let ran = counted(count, "annotation processor");
    Ok(format!("{ran} ran, {}", counted(generated, "generated source")))
}

/// Compiles the program with all of its processors.
fn compile_with_processors(
    sources: &Sources,
    compiler: &mut Compiler,
    release: Option<u32>,
) -> Result<ProcessorOutput, BuildError> {
    let folder = TemporaryFolder::new("processed").map_err(BuildError::io(std::env::temp_dir()))?;
    let generated = folder.path().join("generated");
    let processing = AnnotationProcessing::All {
        path: sources.javac.processor_path.clone(),
        generated: generated.clone(),
    };
    let classes = compile(sources, compiler, release, (folder.path(), processing))?;
    let generated = generated_sources(&generated)?;
    Ok(ProcessorOutput { folder, classes, generated })
}

/// Compiles all sources to the folder `classes` below `place`.
fn compile(
    sources: &Sources,
    compiler: &mut Compiler,
    release: Option<u32>,
    (place, processing): (&Path, AnnotationProcessing),
) -> Result<Classes, BuildError> {
    let JavacSettings { preview, options, module, module_path, .. } = &sources.javac;
    let source_folder = place.join("src");
    let module = module.iter().map(|module| (&module.path, &module.text));
    let texts = sources.files.iter().map(|file| (&file.path, &file.text)).chain(module);
    let texts = texts.map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let output = place.join("classes");
    let request = CompileRequest {
        sources: jar::write_folder(&source_folder, &texts)?,
        classpath: sources.javac.beside_modules(sources.class_path()),
        release,
        module_path: module_path.clone(),
        preview: *preview,
        processing,
        options: options.clone(),
        output: output.clone(),
        ..CompileRequest::default()
    };
    match compiler.compile(&request)? {
        Ok(()) => Ok(jar::read_folder(&output)?),
        Err(errors) => {
            let errors = relative_to(&source_folder, errors);
            Err(BuildError::refused("application", &errors, sources, None))
        }
    }
}

/// Generated sources by path.
fn generated_sources(folder: &Path) -> Result<BTreeMap<String, String>, BuildError> {
    let tree = FileTree::read(folder, &|name| name.ends_with(".java"));
    let read = |path: &Path| fs::read(path).map_err(BuildError::io(path));
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    tree.files.into_iter().map(|file| Ok((file.name, text(read(&file.path)?)))).collect()
}

/// Adds generated sources, with the role of a harness: nobody edits them, so none of their blocks
/// is removed.
fn add_generated(sources: &mut Sources, generated: &BTreeMap<String, String>) {
    for (path, text) in generated {
        let place = format!("{path} (written by an annotation processor)");
        sources.places.insert(path.clone(), place);
        let (path, text) = (path.clone(), text.clone());
        sources.files.push(LoadedSource { path, text, role: SourceRole::Harness, analyse: true });
    }
    sources.files.sort_by(|a, b| a.path.cmp(&b.path));
}

/// Adds the generated files that are no sources, and classes without a source.
fn add_others(sources: &mut Sources, made: &ProcessorOutput) -> Result<(), BuildError> {
    let known: BTreeSet<&str> = sources.files.iter().map(|file| file.path.as_str()).collect();
    let is_of_source = |name: &str, bytes: &[u8]| match class_file_outline(bytes) {
        Some(ClassFileOutline { source: Some(source), .. }) => {
            let folder = name.rsplit_once('/').map_or(String::new(), |(f, _)| format!("{f}/"));
            let end = format!("{folder}{source}");
            known.iter().any(|path| Path::new(path).ends_with(&end))
        }
        _ => name == "module-info.class",
    };
    let mut others = Classes::new();
    for (name, bytes) in &made.classes {
        let is_class = name.ends_with(".class");
        if !is_class || !is_of_source(name, bytes) {
            others.insert(name.clone(), bytes.clone());
        }
    }
    if others.keys().any(|name| name.ends_with(".class")) {
        let folder = made.folder.path().join("written");
        jar::write_folder(&folder, &others)?;
        sources.libraries.push(folder);
    } else {
        jar::add_entries(&mut sources.resources, others);
    }
    Ok(())
}

/// Checks that compiling again, as all later compilations do, gives the same classes as all
/// processors did.
fn check_repeats(
    sources: &Sources,
    compiler: &mut Compiler,
    release: Option<u32>,
    (classes, processors): (&Classes, &[String]),
) -> Result<(), BuildError> {
    let folder = TemporaryFolder::new("repeated").map_err(BuildError::io(std::env::temp_dir()))?;
    let processing = sources.javac.processing();
    let again = compile(sources, compiler, release, (folder.path(), processing))?;
    let differs = |(name, bytes): &(&String, &Vec<u8>)| {
        classes
            .get(*name)
            .is_some_and(|first| class_file_outline(first) != class_file_outline(bytes))
    };
    match again.iter().find(differs) {
        None => Ok(()),
        Some((name, _)) => Err(BuildError::ClassesChanged {
            class: name.trim_end_matches(".class").replace('/', "."),
            processors: processors.join(", "),
        }),
    }
}
