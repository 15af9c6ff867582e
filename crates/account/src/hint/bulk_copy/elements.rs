//! Types of the elements that a copying loop moves, and the library class that moves them. Where
//! types differ, a bulk call fails or does not compile: then there is no hint.

use crate::hint::pattern::{self, simple_type};
use crate::hint::site::LoopSite;
use crate::java::SyntaxNode;
use crate::operations::Operation;

use super::step::{CopyStep, MoveKind};

/// Certainty that both sides have the same element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementCertainty {
    /// The file itself shows it.
    Known,
    /// A type is declared elsewhere; the counted operations do not contradict it.
    Probable,
}

/// Elements of a copy: the class that moves them, and the certainty of their type.
pub(super) struct MovedElements {
    /// Simple name of the class whose bulk method moves the elements.
    pub class: String,
    pub certainty: ElementCertainty,
}

/// Classes of java.util whose `add` adds an element to a collection.
const COLLECTIONS: [&str; 22] = [
    "Collection",
    "List",
    "ArrayList",
    "LinkedList",
    "Vector",
    "AbstractList",
    "AbstractCollection",
    "Set",
    "HashSet",
    "LinkedHashSet",
    "TreeSet",
    "SortedSet",
    "NavigableSet",
    "AbstractSet",
    "Queue",
    "Deque",
    "ArrayDeque",
    "PriorityQueue",
    "AbstractQueue",
    "AbstractSequentialList",
    "Stack",
    "EnumSet",
];

/// Analyses the elements that a step moves; `None` where no bulk call is equivalent.
pub(super) fn moved_elements(site: &LoopSite<'_>, step: &CopyStep<'_>) -> Option<MovedElements> {
    match step.how {
        MoveKind::BufferToBuffer => {
            let (get, put) = (buffer_of(site, "get")?, buffer_of(site, "put")?);
            (get == put).then_some(MovedElements { class: put, certainty: ElementCertainty::Known })
        }
        MoveKind::ArrayToBuffer => with_array(site, buffer_of(site, "put")?, step.from),
        MoveKind::BufferToArray => with_array(site, buffer_of(site, "get")?, step.to),
        MoveKind::ArrayToArray => arrays(site, step),
        MoveKind::CollectionToCollection => collections(site, step),
        MoveKind::ArrayToCollection => {
            let of_objects = has_operation(site, Operation::ARRAY_REFERENCE, "read object");
            of_objects
                .then(|| collection_class(site))?
                .map(|class| MovedElements { class, certainty: ElementCertainty::Known })
        }
    }
}

/// Whether the body has an operation in a context, or in a more specific one.
fn has_operation(site: &LoopSite<'_>, operation: Operation, context: &str) -> bool {
    let is_in = |found: &str| {
        found.strip_prefix(context).is_some_and(|more| more.is_empty() || more.starts_with(' '))
    };
    site.body.operations.iter().any(|o| o.operation == operation && is_in(&o.context))
}

/// The class of a package whose `method` the body calls.
fn library_class(site: &LoopSite<'_>, package: &str, method: &str) -> Option<String> {
    site.body.operations.iter().find_map(|found| {
        let call = found.operation.library().filter(|call| call.method() == method)?;
        call.owner().strip_prefix(package).map(str::to_owned)
    })
}

/// The buffer class whose `method` the body calls: `FloatBuffer`.
fn buffer_of(site: &LoopSite<'_>, method: &str) -> Option<String> {
    library_class(site, "java.nio.", method).filter(|class| class.ends_with("Buffer"))
}

/// The collection class that elements are added to.
fn collection_class(site: &LoopSite<'_>) -> Option<String> {
    library_class(site, "java.util.", "add").filter(|class| COLLECTIONS.contains(&class.as_str()))
}

/// Type of a variable, field or element as the file declares it.
fn type_of(site: &LoopSite<'_>, place: SyntaxNode<'_>) -> Option<String> {
    let declared = pattern::declaration_of(site.file, place)?;
    let text = simple_type(&declared.type_text);
    (!text.is_empty()).then_some(text)
}

/// Elements of a copy between buffer and array: `FloatBuffer` matches `float[]`.
fn with_array(site: &LoopSite<'_>, class: String, array: SyntaxNode<'_>) -> Option<MovedElements> {
    let element = class.trim_end_matches("Buffer").to_lowercase();
    match type_of(site, array) {
        Some(own) if own == format!("{element}[]") => {
            Some(MovedElements { class, certainty: ElementCertainty::Known })
        }
        Some(_) => None,
        None => Some(MovedElements { class, certainty: ElementCertainty::Probable }),
    }
}

/// Elements of a copy between arrays: of one primitive type, or both of objects.
fn arrays(site: &LoopSite<'_>, step: &CopyStep<'_>) -> Option<MovedElements> {
    let converts = site.body.operations.iter().any(|o| o.operation == Operation::CAST_NUMERIC);
    let reads =
        |what: &str| has_operation(site, Operation::ARRAY_REFERENCE, &format!("read {what}"));
    let writes =
        |what: &str| has_operation(site, Operation::ARRAY_REFERENCE, &format!("write {what}"));
    let same_words =
        ["object", "int", "float", "long", "double"].iter().any(|what| reads(what) && writes(what));
    if converts || !same_words {
        return None;
    }
    let certainty = match (type_of(site, step.from), type_of(site, step.to)) {
        (Some(from), Some(to)) if from == to => ElementCertainty::Known,
        (Some(_), Some(_)) if reads("object") => ElementCertainty::Known,
        (Some(_), Some(_)) => return None,
        _ if reads("object") => ElementCertainty::Known,
        _ => ElementCertainty::Probable,
    };
    Some(MovedElements { class: "System".into(), certainty })
}

/// Elements added from a list or another collection to a collection.
fn collections(site: &LoopSite<'_>, step: &CopyStep<'_>) -> Option<MovedElements> {
    let class = collection_class(site)?;
    let by_index = library_class(site, "java.util.", "get").is_some();
    let from = type_of(site, step.from);
    let is_collection = from.is_some_and(|from| COLLECTIONS.contains(&from.as_str()));
    (by_index || is_collection)
        .then_some(MovedElements { class, certainty: ElementCertainty::Known })
}
