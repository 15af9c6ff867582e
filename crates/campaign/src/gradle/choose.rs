//! Which module and variant of a build are the application, and which modules go with it.

use super::GradleError;
use super::export::{GradleVariant, Module};

/// The application's module and variant, and what it uses of the same build.
#[derive(Debug)]
pub(super) struct Chosen<'m> {
    pub module: &'m Module,
    pub variant: &'m GradleVariant,
    /// Modules whose classes it sees.
    pub used: Vec<(&'m Module, &'m GradleVariant)>,
}

impl<'m> Chosen<'m> {
    /// The application's first.
    pub fn all(&self) -> impl Iterator<Item = (&'m Module, &'m GradleVariant)> {
        [(self.module, self.variant)].into_iter().chain(self.used.iter().copied())
    }
}

/// The module that the task names, else the only one that can be started.
pub(super) fn choose<'m>(modules: &'m [Module], task: &str) -> Result<Chosen<'m>, GradleError> {
    let module = match task.rsplit_once(':') {
        Some((project, _)) => {
            let project = if project.is_empty() { ":" } else { project };
            let named = modules.iter().find(|module| module.project == project);
            named.ok_or_else(|| GradleError::NothingCompiled { task: task.to_string() })?
        }
        None => only_application(modules, task)?,
    };
    let variant = only_variant(module, task)?;
    let others = modules.iter().filter(|other| other.project != module.project);
    let used = others.filter_map(|other| Some((other, used_variant(other, variant)?)));
    Ok(Chosen { module, variant, used: used.collect() })
}

fn only_application<'m>(modules: &'m [Module], task: &str) -> Result<&'m Module, GradleError> {
    let is_application = |module: &&Module| {
        let mut android = module.variants.iter().filter_map(|variant| variant.android.as_ref());
        module.main.is_some() || android.any(|android| android.application_id.is_some())
    };
    let applications: Vec<&Module> = modules.iter().filter(is_application).collect();
    let found = if applications.is_empty() { modules.iter().collect() } else { applications };
    match found[..] {
        [one] => Ok(one),
        ref several => Err(GradleError::SeveralModules {
            task: task.to_string(),
            found: several.iter().map(|module| module.project.clone()).collect(),
            example: several.first().map(|m| task_of(m, task)).unwrap_or_default(),
        }),
    }
}

fn only_variant<'m>(module: &'m Module, task: &str) -> Result<&'m GradleVariant, GradleError> {
    match &module.variants[..] {
        [one] => Ok(one),
        several => Err(GradleError::SeveralVariants {
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

/// The task of one module.
fn task_of(module: &Module, task: &str) -> String {
    match module.project.as_str() {
        ":" => format!(":{task}"),
        project => format!("{project}:{task}"),
    }
}

/// The variant of another module whose classes or jar the application's compiler saw: that of
/// the same name where several were built.
fn used_variant<'m>(other: &'m Module, by: &GradleVariant) -> Option<&'m GradleVariant> {
    let mut seen = by.classpath.iter().chain(&by.runtime);
    if !seen.any(|path| path.starts_with(&other.build)) {
        return None;
    }
    let same = other.variants.iter().find(|variant| variant.name == by.name);
    same.or(other.variants.first())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradle::export::tests::DEMO;

    fn module(project: &str, main: Option<&str>, sees: &[&str]) -> Module {
        let mut module = Module::parse(DEMO).unwrap();
        module.project = project.into();
        module.build = format!("/p{}/build", project.replace(':', "/")).into();
        module.main = main.map(String::from);
        module.variants[0].classpath = sees.iter().map(Into::into).collect();
        module
    }

    #[test]
    fn the_task_names_the_module() {
        let lib = "/p/lib/build/libs/lib.jar";
        let modules = [
            module(":app", Some("a.Main"), &[lib, "/m2/x.jar"]),
            module(":lib", None, &[]),
            module(":other", Some("o.Main"), &[]),
        ];
        let chosen = choose(&modules, ":app:classes").unwrap();
        let all: Vec<_> = chosen.all().map(|(module, _)| module.project.as_str()).collect();
        assert_eq!(all, [":app", ":lib"], "what it sees is its own");
        let message = choose(&modules, "classes").unwrap_err().to_string();
        assert!(
            message.contains(":app, :other; name the task of one, as `:app:classes`"),
            "{message}"
        );
        let message = choose(&modules, ":classes").unwrap_err().to_string();
        assert!(message.contains("compiles no Java"), "{message}");
        assert_eq!(choose(&modules[..2], "classes").unwrap().module.project, ":app");
    }

    #[test]
    fn one_variant_is_wanted() {
        let mut app = module(":app", None, &[]);
        app.variants[0].name = "Debug".into();
        let release = GradleVariant { name: "Release".into(), ..app.variants[0].clone() };
        app.variants.push(release);
        let message = choose(&[app], ":app:assemble").unwrap_err().to_string();
        let expected = "several variants of :app: Debug, Release; name the task of one, as \
                        `:app:assembleDebug`";
        assert!(message.contains(expected), "{message}");
    }
}
