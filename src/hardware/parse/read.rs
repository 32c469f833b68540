//! A parsed text as what serde reads. The library's own reader knows dates and inline tables too, and is many times this size in a
//! module for browsers, where it is made again for each type of the file.

use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::fmt;
use std::slice;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Why something is not what the file wants.
#[derive(Debug)]
pub(super) struct Mismatch {
    /// First byte of the innermost thing that is known.
    pub(super) start: Option<usize>,
    pub(super) message: String,
}

impl Mismatch {
    fn at(self, start: usize) -> Self {
        Self {
            start: self.start.or(Some(start)),
            ..self
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mismatch {}

impl Error for Mismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            start: None,
            message: message.to_string(),
        }
    }
}

/// A table of a text.
pub(super) fn table<'de, T: serde::Deserialize<'de>>(
    table: &Spanned<DeTable<'_>>,
) -> Result<T, Mismatch> {
    T::deserialize(Rows(table.get_ref())).map_err(|wrong| wrong.at(table.span().start))
}

/// A table.
struct Rows<'a, 't>(&'a DeTable<'t>);

impl<'de> Deserializer<'de> for Rows<'_, '_> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_map(Entries {
            rest: self.0.iter(),
            value: None,
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A value.
struct Node<'a, 't>(&'a Spanned<DeValue<'t>>);

impl Node<'_, '_> {
    fn number<'de, V: Visitor<'de>>(
        digits: &str,
        radix: u32,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match i64::from_str_radix(digits, radix) {
            Ok(value) => visitor.visit_i64(value),
            Err(_) => match u64::from_str_radix(digits, radix) {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => Err(unexpected(
                    Unexpected::Other("a number beyond 64 bits"),
                    &visitor,
                )),
            },
        }
    }
}

fn unexpected(found: Unexpected<'_>, wanted: &dyn Expected) -> Mismatch {
    Mismatch::invalid_type(found, wanted)
}

impl<'de> Deserializer<'de> for Node<'_, '_> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        let read = match self.0.get_ref() {
            DeValue::String(text) => visitor.visit_str(text),
            DeValue::Integer(digits) => Self::number(digits.as_str(), digits.radix(), visitor),
            DeValue::Float(digits) => match digits.as_str().parse() {
                Ok(value) => visitor.visit_f64(value),
                Err(_) => Err(unexpected(Unexpected::Other("a number"), &visitor)),
            },
            DeValue::Boolean(value) => visitor.visit_bool(*value),
            DeValue::Datetime(_) => Err(unexpected(Unexpected::Other("a date"), &visitor)),
            DeValue::Array(array) => visitor.visit_seq(Items(array.iter())),
            DeValue::Table(table) => Rows(table).deserialize_any(visitor),
        };
        read.map_err(|wrong| wrong.at(self.0.span().start))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    /// Of a closed choice only the name is in a text.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        let read = match self.0.get_ref() {
            DeValue::String(text) => visitor.visit_enum(text.as_ref().into_deserializer()),
            _ => return self.deserialize_any(visitor),
        };
        read.map_err(|wrong: Mismatch| wrong.at(self.0.span().start))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// What is in an array.
struct Items<'a, 't>(slice::Iter<'a, Spanned<DeValue<'t>>>);

impl<'de> SeqAccess<'de> for Items<'_, '_> {
    type Error = Mismatch;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Mismatch> {
        self.0
            .next()
            .map(|item| seed.deserialize(Node(item)))
            .transpose()
    }
}

/// What is in a table.
struct Entries<'a, 't, I: Iterator<Item = (&'a Spanned<Cow<'t, str>>, &'a Spanned<DeValue<'t>>)>>
where
    't: 'a,
{
    rest: I,
    value: Option<&'a Spanned<DeValue<'t>>>,
}

impl<'de, 'a, 't, I> MapAccess<'de> for Entries<'a, 't, I>
where
    't: 'a,
    I: Iterator<Item = (&'a Spanned<Cow<'t, str>>, &'a Spanned<DeValue<'t>>)>,
{
    type Error = Mismatch;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Mismatch> {
        let Some((key, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        let name: &str = key.get_ref();
        let read = seed.deserialize(name.into_deserializer());
        read.map(Some)
            .map_err(|wrong: Mismatch| wrong.at(key.span().start))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Mismatch> {
        let value = self.value.take().expect("a key was asked for before");
        seed.deserialize(Node(value))
    }
}
