//! Submitted forms, as `application/x-www-form-urlencoded`.

use crate::http::Query;
use crate::problem::Problem;

/// More than any form of ours has. A body of a mebibyte could have a million fields otherwise.
const MAX_FIELDS: usize = 100;

/// The fields of a submitted form. A page reads those that it knows and ignores the others.
pub(crate) struct FormData(Query);

impl FormData {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Problem> {
        if body.split(|byte| *byte == b'&').nth(MAX_FIELDS).is_some() {
            let fault = format!("has more than {MAX_FIELDS} fields");
            return Err(Query::invalid("The form", &fault));
        }
        let text = str::from_utf8(body);
        let text = text.map_err(|_| Query::invalid("The form", "is not valid UTF-8"))?;
        Ok(Self(Query(text.to_owned())))
    }

    /// A field that may appear once.
    pub(crate) fn one(&self, name: &str) -> Result<Option<String>, Problem> {
        self.0.one(name)
    }

    /// The same, parsed. If `parse` returns nothing, the field has this fault.
    pub(crate) fn parsed<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Option<T>,
        fault: &str,
    ) -> Result<Option<T>, Problem> {
        let parsed = self.one(name)?.map(|text| parse(&text));
        match parsed {
            Some(None) => Err(Query::invalid(name, fault)),
            parsed => Ok(parsed.flatten()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Code;

    #[test]
    fn a_form_is_decoded_strictly() {
        let form = FormData::parse(b"a=1&b=x+y%2Bz&c=%FF&a=2&d&%65=e&&=&%FF=f").unwrap();
        assert_eq!(form.one("a").unwrap_err().code(), Code::InvalidParameter);
        assert_eq!(form.one("b").unwrap().as_deref(), Some("x y+z"));
        assert_eq!(form.one("c").unwrap_err().code(), Code::InvalidParameter);
        assert_eq!(form.one("d").unwrap().as_deref(), Some(""));
        assert_eq!(form.one("e").unwrap().as_deref(), Some("e"));
        assert_eq!(form.one("f").unwrap(), None);
        assert!(FormData::parse(b"a=\xFF").is_err());
    }
}
