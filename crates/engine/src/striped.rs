use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Enough for the cores of most machines; with more cores, some threads share a stripe.
const STRIPES: usize = 8;

/// A counter striped across cache lines, so that threads which count concurrently do not contend. Readers add the stripes up.
#[derive(Debug, Default)]
pub(crate) struct Striped<T>([CachePadded<T>; STRIPES]);

/// Aligned so that no two values share a cache line or a prefetched pair of lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct CachePadded<T>(T);

impl<T> Striped<T> {
    /// This thread's stripe.
    pub(crate) fn local(&self) -> &T {
        let [first, ..] = &self.0;
        let local = self.0.get(stripe()).unwrap_or(first);
        &local.0
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|padded| &padded.0)
    }
}

/// Assigned round robin, so that the first few threads get one each.
fn stripe() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static MINE: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    MINE.with(|mine| {
        if mine.get() == usize::MAX {
            mine.set(NEXT.fetch_add(1, Ordering::Relaxed) % STRIPES);
        }
        mine.get()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;
    use std::thread;

    use super::*;

    #[test]
    fn counts_of_concurrent_threads_add_up() {
        let counts: Arc<Striped<AtomicU64>> = Arc::default();
        let threads = [(); STRIPES * 2].map(|()| {
            let counts = Arc::clone(&counts);
            thread::spawn(move || {
                for _ in 0..1_000 {
                    counts.local().fetch_add(1, Ordering::Relaxed);
                }
            })
        });
        for thread in threads {
            thread.join().unwrap();
        }
        let sum: u64 = counts.all().map(|count| count.load(Ordering::Relaxed)).sum();
        assert_eq!(sum, STRIPES as u64 * 2_000);
        let used = counts.all().filter(|count| count.load(Ordering::Relaxed) > 0).count();
        assert!(used > 1, "threads have stripes of their own");
    }
}
