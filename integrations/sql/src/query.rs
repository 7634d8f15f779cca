//! Queries as values, whatever the database.

use std::borrow::Cow;

use sqlx::{AssertSqlSafe, Database, Encode, Type};

/// A statement, and the values of its parameters `$1`, `$2` and so on.
#[derive(Clone)]
pub(crate) struct Query<'q> {
    pub(crate) sql: Cow<'static, str>,
    pub(crate) values: Vec<Value<'q>>,
}

/// The value of a parameter, or of a column.
#[derive(Clone)]
pub(crate) enum Value<'v> {
    Integer(Option<i64>),
    Text(Option<Cow<'v, str>>),
    Bytes(Option<&'v [u8]>),
}

impl<'q> Query<'q> {
    pub(crate) fn new(sql: impl Into<Cow<'static, str>>) -> Self {
        Self {
            sql: sql.into(),
            values: Vec::new(),
        }
    }

    /// Adds the value of the next parameter.
    pub(crate) fn bind(mut self, value: impl Into<Value<'q>>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Adds rows of values.
    #[cfg(feature = "mysql")]
    pub(crate) fn with_rows(mut self, rows: impl IntoIterator<Item = Vec<Value<'q>>>) -> Self {
        let mut texts = Vec::new();
        for row in rows {
            let first = self.values.len() + 1;
            self.values.extend(row);
            let parameters = (first..=self.values.len()).map(|number| format!("${number}"));
            let parameters = parameters.collect::<Vec<_>>().join(", ");
            texts.push(format!("({parameters})"));
        }
        self.sql.to_mut().push_str(" VALUES ");
        self.sql.to_mut().push_str(&texts.join(", "));
        self
    }

    /// As sqlx runs it.
    pub(crate) fn into_statement<DB: Database>(
        self,
    ) -> sqlx::query::Query<'static, DB, DB::Arguments>
    where
        Option<i64>: for<'t> Encode<'t, DB> + Type<DB>,
        for<'t> Option<Cow<'t, str>>: Encode<'t, DB> + Type<DB>,
        for<'t> Option<&'t [u8]>: Encode<'t, DB> + Type<DB>,
    {
        let statement = sqlx::query(AssertSqlSafe(self.sql));
        self.values
            .into_iter()
            .fold(statement, |statement, value| match value {
                Value::Integer(number) => statement.bind(number),
                Value::Text(text) => statement.bind(text),
                Value::Bytes(bytes) => statement.bind(bytes),
            })
    }
}

macro_rules! values {
    ($($type:ty: $variant:ident(|$value:ident| $of:expr);)*) => {$(
        impl<'v> From<$type> for Value<'v> {
            fn from($value: $type) -> Self {
                Self::$variant($of)
            }
        }
    )*};
}

values! {
    i64: Integer(|number| Some(number));
    u32: Integer(|number| Some(number.into()));
    bool: Integer(|flag| Some(flag.into()));
    Option<i64>: Integer(|number| number);
    Option<u32>: Integer(|number| number.map(i64::from));
    &'v str: Text(|text| Some(text.into()));
    String: Text(|text| Some(text.into()));
    Option<&'v str>: Text(|text| text.map(Cow::from));
    Option<String>: Text(|text| text.map(Cow::from));
    &'v [u8]: Bytes(|bytes| Some(bytes));
    &'v [u8; 32]: Bytes(|bytes| Some(bytes));
    Option<&'v [u8; 32]>: Bytes(|bytes| bytes.map(<[u8; 32]>::as_slice));
}
