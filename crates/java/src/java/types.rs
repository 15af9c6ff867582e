//! Java types. An unresolved type is [`Type::Unknown`], an ordinary value.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Shared name; that of a class is its binary name (`java.util.Map$Entry`).
pub type Name = Arc<str>;

/// Primitive type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Primitive {
    /// `boolean`
    Boolean,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `char`
    Char,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
}

/// Kind of a value, of which operation names are made (docs/internals/operations.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    /// boolean
    Boolean,
    /// byte, short, char, int
    Int,
    /// long
    Long,
    /// float
    Float,
    /// double
    Double,
    /// every reference type
    Object,
}

impl ValueKind {
    /// Returns its name, with which the names of operations end.
    pub const fn name(self) -> &'static str {
        match self {
            ValueKind::Boolean => "boolean",
            ValueKind::Int => "int",
            ValueKind::Long => "long",
            ValueKind::Float => "float",
            ValueKind::Double => "double",
            ValueKind::Object => "Object",
        }
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Class type with its type arguments (none for raw and non-generic types).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClassType {
    /// Binary name.
    pub name: Name,
    /// Type arguments; empty if raw or not generic. Those of the classes around an inner
    /// class follow its own: `A<X>.B<Y>` has Y, X.
    pub args: Vec<Type>,
}

/// Type variable of a class or a method. Two are equal if owner and name are.
#[derive(Debug, Clone)]
pub struct TypeVariable {
    /// Class, or `class.method` with the method's position, that declares it.
    pub owner: Name,
    /// Its name.
    pub name: Name,
    /// Its bounds; empty means `Object`.
    pub bounds: Vec<Type>,
}

/// Returns the number of passes over a list of type parameters until all bounds are resolved.
pub(crate) fn bound_passes(parameters: usize) -> usize {
    1 + parameters.clamp(1, 4)
}

impl PartialEq for TypeVariable {
    fn eq(&self, other: &TypeVariable) -> bool {
        self.name == other.name && self.owner == other.owner
    }
}

impl Eq for TypeVariable {}

impl Hash for TypeVariable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.owner.hash(state);
    }
}

/// Wildcard as a type argument.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Wildcard {
    /// `?`
    Any,
    /// `? extends T`
    Extends(Type),
    /// `? super T`
    Super(Type),
}

/// Type of an expression or declaration.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Type {
    /// An unresolved type (missing class path, strange code).
    #[default]
    Unknown,
    /// `void`
    Void,
    /// The type of `null`.
    Null,
    /// A primitive type.
    Primitive(Primitive),
    /// A class or interface.
    Class(Arc<ClassType>),
    /// An array of the element type.
    Array(Arc<Type>),
    /// A type variable.
    Variable(Arc<TypeVariable>),
    /// A wildcard; only as a type argument.
    Wildcard(Arc<Wildcard>),
    /// A variable of a running inference; never leaves the resolver.
    Infer(u32),
}

/// Primitive types with their keyword and box, in the order of look-ups.
const PRIMITIVES: [(Primitive, &str, &str); 8] = [
    (Primitive::Boolean, "boolean", "java.lang.Boolean"),
    (Primitive::Byte, "byte", "java.lang.Byte"),
    (Primitive::Short, "short", "java.lang.Short"),
    (Primitive::Char, "char", "java.lang.Character"),
    (Primitive::Int, "int", "java.lang.Integer"),
    (Primitive::Long, "long", "java.lang.Long"),
    (Primitive::Float, "float", "java.lang.Float"),
    (Primitive::Double, "double", "java.lang.Double"),
];

impl Primitive {
    /// Returns the primitive type with this keyword.
    pub fn of_keyword(keyword: &str) -> Option<Primitive> {
        PRIMITIVES.iter().find(|p| p.1 == keyword).map(|p| p.0)
    }

    /// Returns the binary name of its box.
    pub(crate) fn box_name(self) -> &'static str {
        PRIMITIVES[self as usize].2
    }

    /// Returns the kind of its values.
    pub fn kind(self) -> ValueKind {
        match self {
            Primitive::Boolean => ValueKind::Boolean,
            Primitive::Byte | Primitive::Short | Primitive::Char | Primitive::Int => ValueKind::Int,
            Primitive::Long => ValueKind::Long,
            Primitive::Float => ValueKind::Float,
            Primitive::Double => ValueKind::Double,
        }
    }

    /// Whether a value of `self` widens to `other` (JLS 5.1.2), or both are equal.
    pub(crate) fn widens_to(self, other: Primitive) -> bool {
        use Primitive::*;
        self == other
            || match self {
                Boolean => false,
                Byte => matches!(other, Short | Int | Long | Float | Double),
                Short | Char => matches!(other, Int | Long | Float | Double),
                Int => matches!(other, Long | Float | Double),
                Long => matches!(other, Float | Double),
                Float => other == Double,
                Double => false,
            }
    }

    /// Returns the type after unary promotion (JLS 5.6): int at least.
    pub(crate) fn promoted(self) -> Primitive {
        if self.kind() == ValueKind::Int { Primitive::Int } else { self }
    }
}

impl Type {
    /// `int`
    pub const INT: Type = Type::Primitive(Primitive::Int);
    /// `boolean`
    pub const BOOLEAN: Type = Type::Primitive(Primitive::Boolean);

    /// Makes a class type without type arguments.
    pub fn class(name: impl Into<Name>) -> Type {
        Type::generic(name, Vec::new())
    }

    /// Makes a class type with type arguments.
    pub fn generic(name: impl Into<Name>, args: Vec<Type>) -> Type {
        Type::Class(Arc::new(ClassType { name: name.into(), args }))
    }

    /// Makes the type of an array of `self`; unknown if `self` is.
    pub fn array(self) -> Type {
        if self == Type::Unknown { Type::Unknown } else { Type::Array(Arc::new(self)) }
    }

    /// Makes the type of an array of `self` with this number of dimensions; 0 is `self`.
    pub(crate) fn with_dimensions(self, dimensions: usize) -> Type {
        (0..dimensions).fold(self, |ty, _| ty.array())
    }

    /// Returns the type `java.lang.Object`.
    pub fn object() -> Type {
        Type::class("java.lang.Object")
    }

    /// Returns the type `java.lang.String`.
    pub fn string() -> Type {
        Type::class("java.lang.String")
    }

    /// Returns the binary name, if it is a class.
    pub fn class_name(&self) -> Option<&Name> {
        match self {
            Type::Class(class) => Some(&class.name),
            _ => None,
        }
    }

    /// Whether the type is `java.lang.String`.
    pub fn is_string(&self) -> bool {
        self.class_name().is_some_and(|n| &**n == "java.lang.String")
    }

    /// Returns the primitive type, if it is one.
    pub fn primitive(&self) -> Option<Primitive> {
        match self {
            Type::Primitive(primitive) => Some(*primitive),
            _ => None,
        }
    }

    /// Returns the primitive type, also that of a box.
    pub fn unboxed(&self) -> Option<Primitive> {
        match self {
            Type::Primitive(primitive) => Some(*primitive),
            Type::Class(class) => unbox(&class.name),
            Type::Variable(variable) => variable.bounds.first().and_then(|b| match b {
                Type::Class(class) => unbox(&class.name),
                _ => None,
            }),
            _ => None,
        }
    }

    /// Returns the box of a primitive type; any other type as it is.
    pub fn boxed(&self) -> Type {
        match self {
            Type::Primitive(primitive) => Type::class(primitive.box_name()),
            other => other.clone(),
        }
    }

    /// Whether its values are references (false for unknown types).
    pub(crate) fn is_reference(&self) -> bool {
        !matches!(self, Type::Unknown | Type::Void | Type::Primitive(_))
    }

    /// Returns the kind of its values; `None` if unknown or `void`.
    pub fn kind(&self) -> Option<ValueKind> {
        match self {
            Type::Unknown | Type::Void => None,
            Type::Primitive(primitive) => Some(primitive.kind()),
            _ => Some(ValueKind::Object),
        }
    }

    /// Returns the element type, if it is an array.
    pub fn element(&self) -> Option<&Type> {
        match self {
            Type::Array(element) => Some(element),
            _ => None,
        }
    }
}

/// Returns the primitive type whose box has this name.
fn unbox(name: &str) -> Option<Primitive> {
    let simple = name.strip_prefix("java.lang.")?;
    PRIMITIVES.iter().find(|p| p.2[10..] == *simple).map(|p| p.0)
}

/// Type arguments for type variables.
pub(crate) type Substitution = Vec<(Arc<TypeVariable>, Type)>;

/// Replaces the type variables in `ty`. Variables that `substitution` lacks stay.
pub(crate) fn substitute_variables(ty: &Type, substitution: &[(Arc<TypeVariable>, Type)]) -> Type {
    if substitution.is_empty() {
        return ty.clone();
    }
    match ty {
        Type::Variable(variable) => substitution
            .iter()
            .find(|(v, _)| v == variable)
            .map_or_else(|| ty.clone(), |(_, value)| value.clone()),
        Type::Class(class) if !class.args.is_empty() => {
            let args = class.args.iter().map(|a| substitute_variables(a, substitution)).collect();
            Type::generic(class.name.clone(), args)
        }
        Type::Array(element) => substitute_variables(element, substitution).array(),
        Type::Wildcard(wildcard) => Type::Wildcard(Arc::new(match &**wildcard {
            Wildcard::Any => Wildcard::Any,
            // A wildcard put into a wildcard is one wildcard (as capture would have it).
            Wildcard::Extends(bound) => match substitute_variables(bound, substitution) {
                Type::Wildcard(inner) => (*inner).clone(),
                bound => Wildcard::Extends(bound),
            },
            Wildcard::Super(bound) => match substitute_variables(bound, substitution) {
                Type::Wildcard(inner) => (*inner).clone(),
                bound => Wildcard::Super(bound),
            },
        })),
        other => other.clone(),
    }
}

/// Returns the erasure (JLS 4.6).
pub(crate) fn erase_type(ty: &Type) -> Type {
    match ty {
        Type::Class(class) if !class.args.is_empty() => Type::class(class.name.clone()),
        Type::Array(element) => erase_type(element).array(),
        Type::Variable(variable) => variable.bounds.first().map_or_else(Type::object, erase_type),
        Type::Wildcard(wildcard) => match &**wildcard {
            Wildcard::Extends(bound) => erase_type(bound),
            _ => Type::object(),
        },
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_kinds() {
        assert_eq!(Type::class("java.lang.Integer").unboxed(), Some(Primitive::Int));
        assert_eq!(Type::class("java.lang.Character").unboxed(), Some(Primitive::Char));
        assert_eq!(Type::class("java.lang.Object").unboxed(), None);
        assert_eq!(Type::INT.boxed(), Type::class("java.lang.Integer"));
        assert_eq!(Type::Primitive(Primitive::Char).kind(), Some(ValueKind::Int));
        assert_eq!(Type::Unknown.kind(), None);
        assert_eq!(Type::Null.kind(), Some(ValueKind::Object));
    }

    #[test]
    fn substitution_reaches_into_arguments_and_arrays() {
        let e = Arc::new(TypeVariable { owner: "L".into(), name: "E".into(), bounds: vec![] });
        let list = Type::generic("L", vec![Type::Variable(e.clone())]).array();
        let got = substitute_variables(&list, &[(e, Type::string())]);
        assert_eq!(got, Type::generic("L", vec![Type::string()]).array());
        assert_eq!(erase_type(&got), Type::class("L").array());
    }
}
