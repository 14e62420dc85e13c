// An allocator, futures and calls of C, whose page sets the program states itself
// (rust_sets.c). Each loop leaves out every second page.
use std::alloc::{GlobalAlloc, Layout, System};
use std::future::Future;
use std::pin::{pin, Pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

const PAGE: usize = 4096;
const PAGES: usize = 16;

extern "C" {
    fn known_arena(number: u32, bytes: usize) -> *mut u8;
    fn known_write(place: *const u8);
    fn known_period();
    fn c_writes(place: *mut u8, count: usize, each: extern "C" fn(*mut u8));
}

extern "C" fn write_page(place: *mut u8) {
    unsafe {
        place.write_volatile(1);
        known_write(place);
    }
}

/// Long blocks come from an arena, one behind the other.
struct Arena(AtomicUsize);
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() < PAGE || self.0.load(Ordering::Relaxed) == 0 {
            return System.alloc(layout);
        }
        self.0.fetch_add(layout.size(), Ordering::Relaxed) as *mut u8
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if layout.size() < PAGE {
            System.dealloc(place, layout);
        }
    }
}
#[global_allocator]
static ARENA: Arena = Arena(AtomicUsize::new(0));

/// Ready when it is asked for the second time.
struct Yield(bool);
impl Future for Yield {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

#[inline(never)]
async fn write_between_periods(place: *mut u8) -> usize {
    let mut written = 0;
    for page in (0..PAGES).step_by(2) {
        write_page(place.wrapping_add(page * PAGE));
        written += 1;
        Yield(false).await;
    }
    written
}

fn main() {
    let arena = unsafe { known_arena(0, 3 * PAGES * PAGE) };
    ARENA.0.store(arena as usize, Ordering::Relaxed);
    unsafe { known_period() };

    let mut list: Vec<u8> = Vec::with_capacity(PAGES * PAGE);
    assert!(list.as_ptr() == arena);
    for page in (0..PAGES).step_by(2) {
        write_page(list.as_mut_ptr().wrapping_add(page * PAGE));
    }
    unsafe { known_period() };

    let mut other: Vec<u8> = Vec::with_capacity(PAGES * PAGE);
    let mut task = pin!(write_between_periods(other.as_mut_ptr()));
    let mut context = Context::from_waker(Waker::noop());
    let mut polls = 0;
    while let Poll::Pending = task.as_mut().poll(&mut context) {
        unsafe { known_period() };
        polls += 1;
    }
    unsafe { known_period() };

    let mut third: Vec<u8> = Vec::with_capacity(PAGES * PAGE);
    unsafe { c_writes(third.as_mut_ptr(), PAGES, write_page) };
    println!("{polls}");
}
