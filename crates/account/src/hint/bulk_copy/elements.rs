//! What a copying loop moves: elements of which type, by which class of the library.
//! Where the types differ, a bulk call fails or doesn't compile: then there is no hint.

use crate::hint::pattern::{self, simple_type};
use crate::hint::site::Site;
use crate::java::SyntaxNode;
use crate::operations::Operation;

use super::step::{CopyStep, Move};

/// Whether both sides are known to have the same type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementCertainty {
    /// The file itself shows it.
    Known,
    /// A type is declared elsewhere; what is counted doesn't speak against it.
    Probable,
}

/// What is known of a copy.
pub(super) struct Elements {
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

/// The elements that a step moves; `None` where no bulk call does the same.
pub(super) fn elements(site: &Site<'_>, step: &CopyStep<'_>) -> Option<Elements> {
    match step.how {
        Move::BufferToBuffer => {
            let (get, put) = (buffer_of(site, "get")?, buffer_of(site, "put")?);
            (get == put).then_some(Elements { class: put, certainty: ElementCertainty::Known })
        }
        Move::ArrayToBuffer => with_array(site, buffer_of(site, "put")?, step.from),
        Move::BufferToArray => with_array(site, buffer_of(site, "get")?, step.to),
        Move::ArrayToArray => arrays(site, step),
        Move::CollectionToCollection => collections(site, step),
        Move::ArrayToCollection => {
            let of_objects = has_operation(site, Operation::ARRAY_REFERENCE, "read object");
            of_objects
                .then(|| collection_class(site))?
                .map(|class| Elements { class, certainty: ElementCertainty::Known })
        }
    }
}

/// Whether the body has an operation in a context, or in one that says more.
fn has_operation(site: &Site<'_>, operation: Operation, context: &str) -> bool {
    let is_in = |found: &str| {
        found.strip_prefix(context).is_some_and(|more| more.is_empty() || more.starts_with(' '))
    };
    site.body.operations.iter().any(|o| o.operation == operation && is_in(&o.context))
}

/// The class of a package whose `method` the body calls.
fn library_class(site: &Site<'_>, package: &str, method: &str) -> Option<String> {
    site.body.operations.iter().find_map(|found| {
        let call = found.operation.library().filter(|call| call.method() == method)?;
        call.owner().strip_prefix(package).map(str::to_owned)
    })
}

/// The buffer class that moves elements: `FloatBuffer`.
fn buffer_of(site: &Site<'_>, method: &str) -> Option<String> {
    library_class(site, "java.nio.", method).filter(|class| class.ends_with("Buffer"))
}

/// The collection class that elements are added to.
fn collection_class(site: &Site<'_>) -> Option<String> {
    library_class(site, "java.util.", "add").filter(|class| COLLECTIONS.contains(&class.as_str()))
}

/// The type of a place as the file declares it.
fn type_of(site: &Site<'_>, place: SyntaxNode<'_>) -> Option<String> {
    let declared = pattern::declared(site.file, place)?;
    let text = simple_type(&declared.type_text);
    (!text.is_empty()).then_some(text)
}

/// A buffer and an array: `FloatBuffer` goes with `float[]`.
fn with_array(site: &Site<'_>, class: String, array: SyntaxNode<'_>) -> Option<Elements> {
    let element = class.trim_end_matches("Buffer").to_lowercase();
    match type_of(site, array) {
        Some(own) if own == format!("{element}[]") => {
            Some(Elements { class, certainty: ElementCertainty::Known })
        }
        Some(_) => None,
        None => Some(Elements { class, certainty: ElementCertainty::Probable }),
    }
}

/// Two arrays: of the same primitive type, or both of objects.
fn arrays(site: &Site<'_>, step: &CopyStep<'_>) -> Option<Elements> {
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
    Some(Elements { class: "System".into(), certainty })
}

/// A list or another collection whose elements are added to a collection.
fn collections(site: &Site<'_>, step: &CopyStep<'_>) -> Option<Elements> {
    let class = collection_class(site)?;
    let by_index = library_class(site, "java.util.", "get").is_some();
    let from = type_of(site, step.from);
    let is_collection = from.is_some_and(|from| COLLECTIONS.contains(&from.as_str()));
    (by_index || is_collection).then_some(Elements { class, certainty: ElementCertainty::Known })
}
