// Each of three threads writes 256 pages of a vector of its own; a panic unwinds.
use std::thread;

#[inline(never)]
fn touch(v: &mut [u8]) {
    for i in (0..v.len()).step_by(4096) {
        v[i] = v[i].wrapping_add(1);
    }
}

fn main() {
    let threads: Vec<_> = (0..3)
        .map(|k| {
            thread::spawn(move || {
                let mut v = vec![0u8; 1 << 20];
                touch(&mut v);
                u32::from(v[k * 4096])
            })
        })
        .collect();
    let sum: u32 = threads.into_iter().map(|t| t.join().unwrap()).sum();
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| {
        let few = vec![1u8; 10];
        few[std::env::args().count() + 20]
    });
    println!("{} {}", sum, caught.is_err());
}
