//! Parser of descriptors and generic signatures of class files (JVMS 4.3, 4.7.9.1).

use std::sync::Arc;

use crate::java::types::{Name, Primitive, Type, TypeVariable, Wildcard, bound_passes};

/// Parser of one signature; type variables are looked up in `scope`, last first.
pub(super) struct SignatureReader<'s> {
    rest: &'s str,
    scope: Vec<Arc<TypeVariable>>,
    depth: u32,
}

/// Deepest nesting of type arguments that is read.
const DEPTH_MAX: u32 = 64;

impl<'s> SignatureReader<'s> {
    pub(super) fn new(text: &'s str, scope: Vec<Arc<TypeVariable>>) -> SignatureReader<'s> {
        SignatureReader { rest: text, scope, depth: 0 }
    }

    fn eat(&mut self, expected: char) -> bool {
        match self.rest.strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn until(&mut self, stops: &[char]) -> Option<&'s str> {
        let end = self.rest.find(stops)?;
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(text)
    }

    /// Reads `<T:Ljava/lang/Object;U::LI;>` and brings the parameters into scope; `None` if absent.
    pub(super) fn type_parameters(&mut self, owner: &Name) -> Option<Vec<Arc<TypeVariable>>> {
        if !self.rest.starts_with('<') {
            return Some(Vec::new());
        }
        // Bounds may use any of the parameters, so the names come into scope first.
        let before = self.scope.len();
        let start = self.rest;
        let mut pass = 0;
        while pass < bound_passes(self.scope.len() - before) {
            let with_bounds = pass > 0;
            pass += 1;
            self.rest = &start[1..];
            let mut found = Vec::new();
            while !self.eat('>') {
                let name: Name = self.until(&[':'])?.into();
                let bounds = self.bounds()?;
                let bounds = if with_bounds { bounds } else { Vec::new() };
                found.push(Arc::new(TypeVariable { owner: owner.clone(), name, bounds }));
            }
            self.scope.truncate(before);
            self.scope.extend(found);
        }
        Some(self.scope[before..].to_vec())
    }

    fn bounds(&mut self) -> Option<Vec<Type>> {
        let mut bounds = Vec::new();
        while self.eat(':') {
            if !self.rest.starts_with(':') {
                bounds.push(self.ty()?);
            }
        }
        Some(bounds)
    }

    /// Reads one type, also `V`.
    pub(super) fn ty(&mut self) -> Option<Type> {
        let first = self.rest.chars().next()?;
        self.rest = &self.rest[first.len_utf8()..];
        let primitive = |p| Some(Type::Primitive(p));
        match first {
            'Z' => primitive(Primitive::Boolean),
            'B' => primitive(Primitive::Byte),
            'S' => primitive(Primitive::Short),
            'C' => primitive(Primitive::Char),
            'I' => primitive(Primitive::Int),
            'J' => primitive(Primitive::Long),
            'F' => primitive(Primitive::Float),
            'D' => primitive(Primitive::Double),
            'V' => Some(Type::Void),
            '[' => self.deeper(|s| s.ty()).map(Type::array),
            'T' => self.variable(),
            'L' => self.deeper(SignatureReader::class),
            _ => None,
        }
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Option<Type>) -> Option<Type> {
        if self.depth >= DEPTH_MAX * 4 {
            return None;
        }
        self.depth += 1;
        let ty = read(self);
        self.depth -= 1;
        ty
    }

    fn variable(&mut self) -> Option<Type> {
        let name = self.until(&[';'])?;
        self.eat(';');
        let known = self.scope.iter().rev().find(|v| &*v.name == name);
        Some(known.map_or_else(Type::object, |v| Type::Variable(v.clone())))
    }

    /// Reads a class type, `A<TK;>.B<TV;>;`, after its `L`.
    fn class(&mut self) -> Option<Type> {
        let mut name = String::new();
        let mut args = Vec::new();
        loop {
            name.push_str(&self.until(&['<', '.', ';'])?.replace('/', "."));
            if self.eat('<') {
                args.splice(0..0, self.arguments()?);
            }
            if self.eat(';') {
                return Some(Type::generic(name, args));
            }
            if !self.eat('.') {
                return None;
            }
            name.push('$');
        }
    }

    fn arguments(&mut self) -> Option<Vec<Type>> {
        let mut args = Vec::new();
        while !self.eat('>') {
            let wildcard = if self.eat('*') {
                Some(Wildcard::Any)
            } else if self.eat('+') {
                Some(Wildcard::Extends(self.ty()?))
            } else if self.eat('-') {
                Some(Wildcard::Super(self.ty()?))
            } else {
                None
            };
            args.push(match wildcard {
                Some(wildcard) => Type::Wildcard(Arc::new(wildcard)),
                None => self.ty()?,
            });
        }
        Some(args)
    }

    /// Reads `(parameters)return` of a method.
    pub(super) fn method(&mut self) -> Option<(Vec<Type>, Type)> {
        if !self.eat('(') {
            return None;
        }
        let mut parameters = Vec::new();
        while !self.eat(')') {
            parameters.push(self.ty()?);
        }
        Some((parameters, self.ty()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_method_signatures() {
        let owner: Name = "C.m".into();
        let mut signature =
            SignatureReader::new("<T:Ljava/lang/Object;>(La/Map<TT;*>.E<-TT;>;[I)TT;", vec![]);
        let parameters = signature.type_parameters(&owner).unwrap();
        let (args, returns) = signature.method().unwrap();
        let t = Type::Variable(parameters[0].clone());
        let lower = Type::Wildcard(Arc::new(Wildcard::Super(t.clone())));
        let any = Type::Wildcard(Arc::new(Wildcard::Any));
        let class = Type::generic("a.Map$E", vec![lower, t.clone(), any]);
        assert_eq!(args, [class, Type::INT.array()]);
        assert_eq!(returns, t);
    }

    #[test]
    fn broken_signatures_are_none() {
        assert!(SignatureReader::new("(Ljava", vec![]).method().is_none());
        assert!(SignatureReader::new(&"[".repeat(100_000), vec![]).ty().is_none());
    }
}
