use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Enough for the cores of most machines; with more of them, some share.
const STRIPES: usize = 8;

/// The same value several times, far enough apart in memory that threads which count at the same time are not in each
/// other's way: each has one of its own, and who reads adds them up.
#[derive(Debug, Default)]
pub(crate) struct Striped<T>([Apart<T>; STRIPES]);

/// No two of these share a line of any processor's cache, nor a pair of lines that it loads together.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

impl<T> Striped<T> {
    /// This thread's.
    pub(crate) fn mine(&self) -> &T {
        let [first, ..] = &self.0;
        let mine = self.0.get(stripe()).unwrap_or(first);
        &mine.0
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|apart| &apart.0)
    }
}

/// Given out in turn, so that the first few threads that count have one each.
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
    fn what_many_threads_count_adds_up() {
        let counts: Arc<Striped<AtomicU64>> = Arc::default();
        let threads = [(); STRIPES * 2].map(|()| {
            let counts = Arc::clone(&counts);
            thread::spawn(move || {
                for _ in 0..1_000 {
                    counts.mine().fetch_add(1, Ordering::Relaxed);
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
