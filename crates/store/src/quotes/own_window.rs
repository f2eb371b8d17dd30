use std::collections::HashSet;

use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::quotes::quote_batches::Batches;
use crate::record::{BatchRecord, Entry};

/// How many windows late an id may arrive; an older one means that the clock was set back.
const MAX_LATE_WINDOWS: i64 = 8;

/// The ids that this writer stored in the latest id window, as long as no other writer stored any there.
///
/// Then the writer knows without a query that an id is new, and its quotes take one statement instead of a transaction of four.
#[derive(Default)]
pub(crate) struct OwnWindow {
    window: i64,
    rows: i64,
    marks: HashSet<[u8; 8]>,
    /// Whether other writers may use this window too; then every id is looked up.
    shared: bool,
}

impl OwnWindow {
    /// Writes these quotes if one statement suffices; otherwise returns `false` and writes nothing.
    pub(crate) async fn put<DB: Batches>(
        &mut self,
        connection: &mut Connection<DB>,
        quotes: &[&Entry],
    ) -> Result<bool, DbError> {
        let Some(window) = quotes.first().map(|entry| entry.place.window()) else { return Ok(false) };
        if quotes.iter().any(|entry| entry.place.window() != window) {
            return Ok(false);
        }
        if window > self.window || window < self.window - MAX_LATE_WINDOWS {
            self.marks.clear();
            (self.window, self.rows, self.shared) = (window, 0, false);
        }
        if self.shared || window != self.window {
            return Ok(false);
        }
        // Until the statement's result is known; also if this future is dropped.
        self.shared = true;
        let Some(row) = BatchRecord::of(quotes) else { return Ok(false) };
        if !quotes.iter().all(|entry| self.marks.insert(entry.place.mark)) {
            return Ok(false);
        }
        let put = DB::put_alone(connection, row, self.rows).await?;
        (self.rows, self.shared) = (self.rows + 1, !put);
        Ok(put)
    }

    /// Marks the window as shared because these quotes are written by another path.
    pub(crate) fn share(&mut self, quotes: &[&Entry]) {
        self.shared |= quotes.iter().any(|entry| entry.place.window() == self.window);
    }
}
