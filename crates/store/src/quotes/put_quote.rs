use causeway_domain::ports::StoreError;

use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::quotes::quote_batches::{Batches, find_record};
use crate::record::{BatchRecord, Entry, batch};

/// Writes many quotes as few rows; one invalid quote fails all of them.
pub(crate) async fn put_quotes<DB: Batches>(
    connection: &mut Connection<DB>,
    quotes: &[&Entry],
) -> Result<(), DbError> {
    let mut quotes = quotes.to_vec();
    quotes.sort_by_key(|entry| entry.place.window());
    for piece in quotes.chunk_by(|one, other| one.place.window() == other.place.window()) {
        let Some(row) = BatchRecord::of(piece) else { continue };
        if !is_known::<DB>(connection, piece, &row).await? {
            DB::put(connection, &row).await?;
        } else if let [again] = piece {
            // A caller that missed the first acknowledgement may write the same quote again.
            put_again::<DB>(connection, again, &row).await?;
        } else {
            return Err(StoreError::Conflict("one of these quotes is stored already").into());
        }
    }
    Ok(())
}

/// Whether one of these ids may be in a stored batch, or twice in this piece.
async fn is_known<DB: Batches>(
    connection: &mut Connection<DB>,
    piece: &[&Entry],
    row: &BatchRecord,
) -> Result<bool, DbError> {
    let mut marks: Vec<_> = piece.iter().map(|entry| entry.place.mark).collect();
    marks.sort_unstable();
    if marks.windows(2).any(|pair| matches!(pair, [one, other] if one == other)) {
        return Ok(true);
    }
    let near = DB::contents(connection, row.first_ms, row.last_ms).await?;
    let mut stored = near.iter().flat_map(|(_, contents)| batch::marks(contents));
    Ok(stored.any(|mark| marks.binary_search(&mark).is_ok()))
}

async fn put_again<DB: Batches>(
    connection: &mut Connection<DB>,
    entry: &Entry,
    row: &BatchRecord,
) -> Result<(), DbError> {
    match find_record::<DB>(connection, &entry.id()?).await? {
        None => DB::put(connection, row).await,
        Some(stored) if batch::is_same(entry, &stored.record) => Ok(()),
        Some(_) => Err(StoreError::Conflict("another quote has this id").into()),
    }
}
