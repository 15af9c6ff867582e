//! Choice of the application's module and variant in a build, and of the modules that it uses.

use std::path::Path;

use super::module::{Module, ModuleVariant};
use super::{BuildTool, ProjectBuild, ProjectError};

/// The application's module and variant, and the modules of the same build that it uses.
#[derive(Debug)]
pub(super) struct ChosenModules<'m> {
    pub module: &'m Module,
    pub variant: &'m ModuleVariant,
    /// Modules on the application's class path, each with its variant.
    pub used: Vec<(&'m Module, &'m ModuleVariant)>,
}

impl<'m> ChosenModules<'m> {
    /// All chosen modules with their variants, the application's first.
    pub fn all(&self) -> impl Iterator<Item = (&'m Module, &'m ModuleVariant)> {
        [(self.module, self.variant)].into_iter().chain(self.used.iter().copied())
    }
}

/// The module that the build's target names; for a Gradle task of the whole build, the only module
/// that can be started. With its variant and the modules that it uses.
pub(super) fn choose_modules<'m>(
    modules: &'m [Module],
    build: &ProjectBuild,
) -> Result<ChosenModules<'m>, ProjectError> {
    let module = match (build.tool, build.target.rsplit_once(':')) {
        (BuildTool::Maven, _) => module_named(modules, build, |module| is_selected(module, build))?,
        (BuildTool::Gradle, Some((project, _))) => {
            let project = if project.is_empty() { ":" } else { project };
            module_named(modules, build, |module| module.project == project)?
        }
        (BuildTool::Gradle, None) => only_application(modules, &build.target)?,
    };
    let variant = only_variant(module, &build.target)?;
    let others = modules.iter().filter(|other| other.project != module.project);
    let used = others.filter_map(|other| Some((other, used_variant(other, variant)?)));
    Ok(ChosenModules { module, variant, used: used.collect() })
}

fn module_named<'m>(
    modules: &'m [Module],
    build: &ProjectBuild,
    is_named: impl Fn(&Module) -> bool,
) -> Result<&'m Module, ProjectError> {
    let named = modules.iter().find(|module| is_named(module));
    named.ok_or_else(|| ProjectError::nothing_compiled(build))
}

/// Whether Maven's `-pl` selects the module by this target: by group and artifact, by artifact, or
/// by its folder or the file in it.
fn is_selected(module: &Module, build: &ProjectBuild) -> bool {
    if build.target.contains(':') {
        let (_, artifact) = module.project.split_once(':').unwrap_or_default();
        return build.target == module.project || build.target.strip_prefix(':') == Some(artifact);
    }
    let real = |path: &Path| path.canonicalize().ok();
    let place = real(&build.project.join(&build.target));
    let folder = place.as_deref().map(|place| match place.is_file() {
        true => place.parent().unwrap_or(place),
        false => place,
    });
    folder.is_some() && folder == real(&module.folder).as_deref()
}

fn only_application<'m>(modules: &'m [Module], task: &str) -> Result<&'m Module, ProjectError> {
    let is_application = |module: &&Module| {
        let mut android = module.variants.iter().filter_map(|variant| variant.android.as_ref());
        !module.mains.is_empty() || android.any(|android| android.application_id.is_some())
    };
    let applications: Vec<&Module> = modules.iter().filter(is_application).collect();
    let found = if applications.is_empty() { modules.iter().collect() } else { applications };
    match found[..] {
        [one] => Ok(one),
        ref several => Err(ProjectError::SeveralModules {
            task: task.to_string(),
            found: several.iter().map(|module| module.project.clone()).collect(),
            example: several.first().map(|m| task_of(m, task)).unwrap_or_default(),
        }),
    }
}

fn only_variant<'m>(module: &'m Module, task: &str) -> Result<&'m ModuleVariant, ProjectError> {
    match &module.variants[..] {
        [one] => Ok(one),
        several => Err(ProjectError::SeveralVariants {
            task: task.to_string(),
            module: module.project.clone(),
            found: several.iter().map(|variant| variant.name.clone()).collect(),
            example: several
                .first()
                .map(|variant| task_of(module, &format!("assemble{}", variant.name)))
                .unwrap_or_default(),
        }),
    }
}

/// The name of a task of one module, `:app:assembleRelease`.
fn task_of(module: &Module, task: &str) -> String {
    match module.project.as_str() {
        ":" => format!(":{task}"),
        project => format!("{project}:{task}"),
    }
}

/// The variant of another module whose classes or jar are on the run-time class path of `by`: of
/// several, the one of the same name. A module that is only on the compiler's class path is a
/// library.
fn used_variant<'m>(other: &'m Module, by: &ModuleVariant) -> Option<&'m ModuleVariant> {
    let path = if by.android.is_some() { &by.classpath } else { &by.runtime };
    if !path.iter().any(|path| path.starts_with(&other.build)) {
        return None;
    }
    let same = other.variants.iter().find(|variant| variant.name == by.name);
    same.or(other.variants.first())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::module::tests::DEMO;
    use crate::project::tool_run::parse_export;

    fn module(project: &str, main: Option<&str>, sees: &[&str]) -> Module {
        let mut module = parse_export::<Module>(DEMO).unwrap();
        module.project = project.into();
        module.build = format!("/p{}/build", project.replace(':', "/")).into();
        module.mains = main.map(String::from).into_iter().collect();
        module.variants[0].runtime = sees.iter().map(Into::into).collect();
        module
    }

    fn gradle(task: &str) -> ProjectBuild {
        let (project, folder) = ("/p".into(), "/o".into());
        ProjectBuild {
            tool: BuildTool::Gradle,
            target: task.into(),
            options: Vec::new(),
            project,
            folder,
        }
    }

    #[test]
    fn the_task_names_the_module() {
        let lib = "/p/lib/build/libs/lib.jar";
        let modules = [
            module(":app", Some("a.Main"), &[lib, "/m2/x.jar"]),
            module(":lib", None, &[]),
            module(":other", Some("o.Main"), &[]),
        ];
        let chosen = choose_modules(&modules, &gradle(":app:classes")).unwrap();
        let all: Vec<_> = chosen.all().map(|(module, _)| module.project.as_str()).collect();
        assert_eq!(all, [":app", ":lib"], "what it sees is its own");
        let message = choose_modules(&modules, &gradle("classes")).unwrap_err().to_string();
        assert!(
            message.contains(":app, :other; name the task of one, as `:app:classes`"),
            "{message}"
        );
        let message = choose_modules(&modules, &gradle(":classes")).unwrap_err().to_string();
        assert!(message.contains("compiles no Java"), "{message}");
        assert_eq!(
            choose_modules(&modules[..2], &gradle("classes")).unwrap().module.project,
            ":app"
        );
    }

    #[test]
    fn one_variant_is_wanted() {
        let mut app = module(":app", None, &[]);
        app.variants[0].name = "Debug".into();
        let release = ModuleVariant { name: "Release".into(), ..app.variants[0].clone() };
        app.variants.push(release);
        let message = choose_modules(&[app], &gradle(":app:assemble")).unwrap_err().to_string();
        let expected = "several variants of :app: Debug, Release; name the task of one, as \
                        `:app:assembleDebug`";
        assert!(message.contains(expected), "{message}");
    }

    #[test]
    fn a_module_of_maven_is_selected_as_maven_does_it() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| {
            let folder = folder.path().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("pom.xml"), "").unwrap();
            let project = format!("org.example:{name}");
            Module { project, folder, ..module("", None, &[]) }
        };
        let modules = [of("app"), of("lib")];
        let chosen = |target: &str| {
            let (tool, project) = (BuildTool::Maven, folder.path().into());
            let build = ProjectBuild {
                tool,
                target: target.into(),
                options: Vec::new(),
                project,
                folder: "/o".into(),
            };
            choose_modules(&modules, &build)
                .map(|chosen| chosen.module.name.clone() + &chosen.module.project)
        };
        for target in ["lib", "./lib", "lib/pom.xml", ":lib", "org.example:lib"] {
            assert_eq!(chosen(target).unwrap(), "demoorg.example:lib", "{target}");
        }
        for target in ["li", ":app2", "org.other:lib", "."] {
            let message = chosen(target).unwrap_err().to_string();
            assert!(message.contains("compiles no Java"), "{target}: {message}");
        }
    }
}
