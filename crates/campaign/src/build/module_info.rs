//! Module declarations: the module's name, its dependencies and services.

use std::collections::BTreeMap;

use crate::java::source::without_comments;

/// A parsed `module-info.java`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleInfo {
    /// Path of the file, relative to its source root.
    pub path: String,
    /// Text of the file.
    pub text: String,
    /// The module's name.
    pub name: String,
    /// Names of the required modules.
    pub requires: Vec<String>,
    /// Names of services with their providing classes, in order.
    pub provides: BTreeMap<String, Vec<String>>,
    /// Names of the used services.
    pub uses: Vec<String>,
}

impl ModuleInfo {
    /// Parses a declaration; `None` for a text without a module.
    pub fn parse(path: &str, text: &str) -> Option<Self> {
        let words = tokens(text);
        let mut imports = BTreeMap::new();
        let mut info = Self { path: path.to_owned(), text: text.to_owned(), ..Self::default() };
        let body = words.iter().position(|word| word == "{")?;
        for statement in words[..body].split(|word| word == ";") {
            if let [first, name] = statement
                && first == "import"
            {
                let simple = name.rsplit('.').next().unwrap_or(name);
                imports.insert(simple.to_owned(), name.clone());
            }
        }
        let at = words[..body].iter().rposition(|word| word == "module")?;
        info.name = words[at + 1..body].concat();
        let qualified = |name: &String| imports.get(name).unwrap_or(name).clone();
        for directive in words[body + 1..].split(|word| word == ";" || word == "}") {
            let Some((kind, rest)) = directive.split_first() else { continue };
            match kind.as_str() {
                "requires" => info.requires.extend(rest.last().cloned()),
                "uses" => info.uses.extend(rest.first().map(qualified)),
                "provides" => {
                    let Some((service, rest)) = rest.split_first() else { continue };
                    let classes = rest.iter().filter(|word| *word != "with" && *word != ",");
                    info.provides.insert(qualified(service), classes.map(qualified).collect());
                }
                _ => {}
            }
        }
        (!info.name.is_empty()).then_some(info)
    }

    /// The `META-INF/services` entries with the providers, for a program on the class path: entry
    /// name -> text.
    pub fn services(&self) -> BTreeMap<String, Vec<u8>> {
        let entry = |(service, classes): (&String, &Vec<String>)| {
            (format!("META-INF/services/{service}"), (classes.join("\n") + "\n").into_bytes())
        };
        self.provides.iter().map(entry).collect()
    }
}

/// Names with their dots, and the tokens `{`, `}`, `;` and `,`, without comments and annotations.
fn tokens(text: &str) -> Vec<String> {
    let text = without_comments(text);
    let mut words: Vec<String> = Vec::new();
    let mut depth = 0;
    let mut word = String::new();
    for letter in text.chars() {
        let is_part = letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.' | '@');
        if is_part && depth == 0 {
            word.push(letter);
            continue;
        }
        if !word.is_empty() && !word.starts_with('@') {
            words.push(std::mem::take(&mut word));
        }
        word.clear();
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            '{' | '}' | ';' | ',' if depth == 0 => words.push(letter.to_string()),
            _ => {}
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_those_of_the_declaration() {
        let text = "/* module x { */\nimport demo.spi.Rate;\n@Deprecated(since = \"{;}\")\n\
            open module demo.svc {\n requires transitive java.sql; // requires y;\n \
            exports demo.spi to a, b;\n uses Rate;\n provides Rate with demo.impl.Half, \
            demo.impl . Full ;\n}\n";
        let info = ModuleInfo::parse("module-info.java", text).unwrap();
        assert_eq!(info.name, "demo.svc");
        assert_eq!(
            (info.requires.as_slice(), info.uses.as_slice()),
            (&["java.sql".to_owned()][..], &["demo.spi.Rate".to_owned()][..])
        );
        let services = info.services();
        let text = String::from_utf8(services["META-INF/services/demo.spi.Rate"].clone()).unwrap();
        assert!(text.starts_with("demo.impl.Half\n"), "{text}");
        assert_eq!(ModuleInfo::parse("a", "class A {}"), None);
        assert_eq!(ModuleInfo::parse("a", ""), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[a-c{};,./*@() \n]{0,60}") {
            let _ = ModuleInfo::parse("a", &text);
            let _ = ModuleInfo::parse("a", &format!("module {text}"));
        }
    }
}
