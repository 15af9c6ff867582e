//! What a file declares and names, read by a Rust parser. Items that only tests compile are left
//! out.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, Meta, TraitItem, UseTree};

/// Segments of a path as they are written.
pub type Segments = Vec<String>;

/// A file without what is for tests.
pub struct SourceFile {
    /// The file's own module first, then those that are written within it.
    pub modules: Vec<ModuleText>,
    pub functions: Vec<FunctionLength>,
    pub lines: usize,
    /// Its string literals, those in macros and attributes included; no comments.
    pub texts: Vec<String>,
}

/// A module as far as it is written in one file.
#[derive(Default)]
pub struct ModuleText {
    /// Modules of the file around this one, from the outside; the last is its own name.
    pub within: Segments,
    /// Modules that it declares with files of their own.
    pub children: Vec<String>,
    /// Names of the items that it defines.
    pub items: BTreeSet<String>,
    pub imports: Vec<Import>,
    /// Every path in its code, and what it imports for itself.
    pub paths: BTreeSet<Segments>,
}

/// One leaf of a `use`.
pub struct Import {
    pub path: Segments,
    /// The name that it gives; none for `*`.
    pub name: Option<String>,
}

/// Lines from a function's `fn` to its last brace.
pub struct FunctionLength {
    pub name: String,
    pub lines: usize,
}

impl SourceFile {
    pub fn parse(text: &str) -> syn::Result<Self> {
        let file = syn::parse_file(text)?;
        let mut reader = Reader { modules: vec![ModuleText::default()], ..Reader::default() };
        reader.visit_file(&file);
        let lines = text.lines().count().saturating_sub(reader.lines_of_tests);
        let Reader { modules, functions, texts, .. } = reader;
        Ok(Self { modules, functions, lines, texts })
    }
}

#[derive(Default)]
struct Reader {
    modules: Vec<ModuleText>,
    /// The module that is being read.
    current: usize,
    functions: Vec<FunctionLength>,
    texts: Vec<String>,
    lines_of_tests: usize,
}

impl Reader {
    fn module(&mut self) -> &mut ModuleText {
        &mut self.modules[self.current]
    }

    fn define(&mut self, name: &syn::Ident) {
        self.module().items.insert(name.to_string());
    }

    fn leave_out(&mut self, span: Span) {
        self.lines_of_tests += lines_of(span, span);
    }

    fn function(&mut self, signature: &syn::Signature, end: Span) {
        let lines = lines_of(signature.span(), end);
        self.functions.push(FunctionLength { name: signature.ident.to_string(), lines });
    }

    fn import(&mut self, tree: &UseTree, prefix: &[String], is_private: bool) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(&path.ident), is_private),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, prefix, is_private));
            }
            UseTree::Glob(_) => {
                self.module().imports.push(Import { path: prefix.to_vec(), name: None });
            }
            UseTree::Name(leaf) if leaf.ident == "self" => {
                self.import_leaf(prefix.to_vec(), prefix.last(), is_private);
            }
            UseTree::Name(leaf) => {
                self.import_leaf(with(&leaf.ident), Some(&leaf.ident.to_string()), is_private);
            }
            UseTree::Rename(leaf) => {
                self.import_leaf(with(&leaf.ident), Some(&leaf.rename.to_string()), is_private);
            }
        }
    }

    fn import_leaf(&mut self, path: Segments, name: Option<&String>, is_private: bool) {
        if is_private {
            self.module().paths.insert(path.clone());
        }
        self.module().imports.push(Import { path, name: name.cloned() });
    }

    /// Paths and texts in what a macro is given.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Segments::new();
        let mut colons = 0;
        let mut is_field = false;
        for token in tokens {
            match token {
                TokenTree::Ident(name) if is_field => drop(name),
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.name(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => {
                    self.name(std::mem::take(&mut path));
                    self.tokens(group.stream());
                }
                TokenTree::Punct(mark) => {
                    self.name(std::mem::take(&mut path));
                    is_field = mark.as_char() == '.';
                    colons = 0;
                    continue;
                }
                TokenTree::Literal(literal) => {
                    self.name(std::mem::take(&mut path));
                    let text = syn::parse_str::<syn::LitStr>(&literal.to_string());
                    self.texts.extend(text.ok().map(|text| text.value()));
                }
            }
            (colons, is_field) = (0, false);
        }
        self.name(path);
    }

    fn name(&mut self, path: Segments) {
        if !path.is_empty() {
            self.module().paths.insert(path);
        }
    }

    /// Paths that serde is given as text.
    fn serde(&mut self, tokens: TokenStream) {
        let mut key = String::new();
        for token in tokens {
            match token {
                TokenTree::Ident(name) => key = name.to_string(),
                TokenTree::Literal(text) if PATHS_OF_SERDE.contains(&key.as_str()) => {
                    let text = text.to_string();
                    let path: Segments =
                        text.trim_matches('"').split("::").map(String::from).collect();
                    // A module is given for what serde calls in it.
                    let called = |name: &str| [path.as_slice(), &[name.to_owned()]].concat();
                    if key == "with" {
                        ["serialize", "deserialize"]
                            .iter()
                            .for_each(|name| self.name(called(name)));
                    } else {
                        self.name(path);
                    }
                }
                TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                    self.serde(group.stream());
                }
                _ => {}
            }
        }
    }
}

/// Keys of serde's attributes whose values are paths.
const PATHS_OF_SERDE: [&str; 8] = [
    "with",
    "default",
    "serialize_with",
    "deserialize_with",
    "skip_serializing_if",
    "from",
    "try_from",
    "into",
];

fn lines_of(start: Span, end: Span) -> usize {
    end.end().line + 1 - start.start().line
}

/// Whether only tests have the item: `cfg(test)`, `cfg(all(test, ...))`, `test`.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition == "test" || condition.starts_with("all (test")
        }
        meta => meta.path().is_ident("test"),
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_for_tests(attributes(item)) {
            return self.leave_out(item.span());
        }
        match item {
            Item::Const(item) => self.define(&item.ident),
            Item::Enum(item) => self.define(&item.ident),
            Item::Fn(item) => self.define(&item.sig.ident),
            Item::Static(item) => self.define(&item.ident),
            Item::Struct(item) => self.define(&item.ident),
            Item::Trait(item) => self.define(&item.ident),
            Item::Type(item) => self.define(&item.ident),
            Item::Macro(item) => item.ident.iter().for_each(|name| self.define(name)),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Fn(function) if is_for_tests(&function.attrs) => {
                self.leave_out(function.span());
            }
            _ => visit::visit_impl_item(self, item),
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let name = module.ident.to_string();
        if module.content.is_none() {
            return self.module().children.push(name);
        }
        let around = self.current;
        let within = [self.module().within.as_slice(), &[name]].concat();
        self.current = self.modules.len();
        self.modules.push(ModuleText { within, ..ModuleText::default() });
        visit::visit_item_mod(self, module);
        self.current = around;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            let is_private = matches!(item.vis, syn::Visibility::Inherited);
            self.import(&item.tree, &[], is_private);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.function(&function.sig, function.block.span());
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.function(&function.sig, function.block.span());
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if let TraitItem::Fn(function) = item
            && let Some(block) = &function.default
        {
            self.function(&function.sig, block.span());
        }
        visit::visit_trait_item(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.name(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            if list.path.is_ident("serde") {
                self.serde(list.tokens.clone());
            } else {
                self.tokens(list.tokens.clone());
            }
        }
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.texts.push(text.value());
    }

    /// `pub(super)` and `pub(crate)` use nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_without_tests() {
        let text = "fn f() {\n    g()\n}\n\n#[cfg(test)]\nmod tests {\n    fn long() {\n    }\n}\n";
        let file = SourceFile::parse(text).unwrap();
        let functions: Vec<(&str, usize)> =
            file.functions.iter().map(|found| (found.name.as_str(), found.lines)).collect();
        assert_eq!((file.lines, functions), (4, vec![("f", 3)]));
    }

    #[test]
    fn methods_are_functions() {
        let text = "trait T {\n    fn a(\n        &self,\n    ) {\n    }\n    fn b();\n}\n\
                    impl T for U {\n    /// Not counted.\n    fn c() {\n    }\n}\n";
        let file = SourceFile::parse(text).unwrap();
        let lengths: Vec<usize> = file.functions.iter().map(|found| found.lines).collect();
        assert_eq!(lengths, [4, 2]);
    }
}
