//! Exported packages of a module, from its `module-info.class`.

use std::collections::BTreeSet;

use cafebabe::attributes::{AttributeData, ModuleData, ModuleRequiresFlags};
use cafebabe::{ClassFile, ParseOptions};

/// Returns the packages that the module and those that it requires transitively export to all,
/// with `find` for the bytes of a module's declaration.
pub(super) fn exported_packages(
    module: &str,
    find: impl Fn(&str) -> Option<Vec<u8>>,
) -> Vec<String> {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![module.to_owned()]);
    let mut packages = BTreeSet::new();
    while let Some(module) = todo.pop() {
        if !seen.insert(module.clone()) {
            continue;
        }
        let Some(bytes) = find(&module) else { continue };
        let Some(declared) = ModuleExports::read(&bytes) else { continue };
        packages.extend(declared.exported);
        todo.extend(declared.transitive);
    }
    packages.into_iter().collect()
}

/// Returns the name of the module that a class file declares.
pub(super) fn module_name(bytes: &[u8]) -> Option<String> {
    let file = parse_class_file(bytes)?;
    module_data(&file).map(|data| data.name.to_string())
}

struct ModuleExports {
    exported: Vec<String>,
    transitive: Vec<String>,
}

impl ModuleExports {
    fn read(bytes: &[u8]) -> Option<Self> {
        let file = parse_class_file(bytes)?;
        let data = module_data(&file)?;
        let open = data.exports.iter().filter(|export| export.exports_to.is_empty());
        let exported = open.map(|export| export.package_name.replace('/', ".")).collect();
        let transitive = data
            .requires
            .iter()
            .filter(|required| required.flags.contains(ModuleRequiresFlags::TRANSITIVE))
            .map(|required| required.name.to_string())
            .collect();
        Some(Self { exported, transitive })
    }
}

fn parse_class_file(bytes: &[u8]) -> Option<ClassFile<'_>> {
    let mut options = ParseOptions::default();
    options.parse_bytecode(false);
    cafebabe::parse_class_with_options(bytes, &options).ok()
}

fn module_data<'f>(file: &'f ClassFile<'_>) -> Option<&'f ModuleData<'f>> {
    file.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::Module(data) => Some(data),
        _ => None,
    })
}
