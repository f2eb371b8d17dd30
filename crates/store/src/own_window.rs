use std::collections::HashSet;

use crate::engine::Connection;
use crate::fault::Fault;
use crate::quote_batches::Batches;
use crate::record::{BatchRecord, Entry};

/// So many windows late an id may come; one from before then says that the clock was put back.
const LATE: i64 = 8;

/// The quotes that this writer has put into the latest window of ids, as long as nobody else has put any there: then it
/// knows by itself that an id is new, and its quotes take one statement instead of a transaction of four.
#[derive(Default)]
pub(crate) struct OwnWindow {
    window: i64,
    rows: i64,
    marks: HashSet<[u8; 8]>,
    /// Whether others write here too, or may: then every id is looked up.
    shared: bool,
}

impl OwnWindow {
    /// Writes these quotes if that takes no more than one statement; otherwise nothing has happened.
    pub(crate) async fn put<DB: Batches>(
        &mut self,
        connection: &mut Connection<DB>,
        quotes: &[&Entry],
    ) -> Result<bool, Fault> {
        let Some(window) = quotes.first().map(|entry| entry.place.window()) else { return Ok(false) };
        if quotes.iter().any(|entry| entry.place.window() != window) {
            return Ok(false);
        }
        if window > self.window || window < self.window - LATE {
            self.marks.clear();
            (self.window, self.rows, self.shared) = (window, 0, false);
        }
        if self.shared || window != self.window {
            return Ok(false);
        }
        // Until it is known what became of the statement; also if this is given up on the way.
        self.shared = true;
        let Some(row) = BatchRecord::of(quotes) else { return Ok(false) };
        if !quotes.iter().all(|entry| self.marks.insert(entry.place.mark)) {
            return Ok(false);
        }
        let put = DB::put_alone(connection, row, self.rows).await?;
        (self.rows, self.shared) = (self.rows + 1, !put);
        Ok(put)
    }

    /// These are written in another way, which this window does not hear of.
    pub(crate) fn share(&mut self, quotes: &[&Entry]) {
        self.shared |= quotes.iter().any(|entry| entry.place.window() == self.window);
    }
}
