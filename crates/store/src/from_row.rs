/// Implements `sqlx::FromRow` for both engines by column name. The derive macro of `sqlx` would build both drivers, and
/// SQLite with them, a second time for the compiler.
macro_rules! impl_from_row {
    ($record:ident { $($column:ident),+ $(; flatten $inner:ident)? }) => {
        impl_from_row!(@engine sqlx::sqlite::SqliteRow, $record { $($column),+ $(; $inner)? });
        impl_from_row!(@engine sqlx::postgres::PgRow, $record { $($column),+ $(; $inner)? });
    };
    (@engine $row:ty, $record:ident { $($column:ident),+ $(; $inner:ident)? }) => {
        impl sqlx::FromRow<'_, $row> for $record {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                use sqlx::Row as _;
                Ok(Self {
                    $($column: row.try_get(stringify!($column))?,)+
                    $($inner: sqlx::FromRow::from_row(row)?,)?
                })
            }
        }
    };
}
