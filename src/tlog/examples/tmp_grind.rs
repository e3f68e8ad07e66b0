use fairshoe_tlog::*;
use std::collections::HashMap;
use std::time::Instant;
fn main(){
  let mut seen=HashMap::new();
  for n in 0u32.. { let mut seed=[0u8;32]; seed[..4].copy_from_slice(&n.to_le_bytes());
    let s=Signer::new("fairshoe.example/log",&seed).unwrap(); 
    if let Some(m)=seen.insert(s.verifier_key().key_id(), n){ println!("collision {m} {n}"); break } }
  let t=Instant::now(); let mut tree=Tree::new(); let mut tiles=HashMap::new();
  for n in 0..2_000_000u64 { for c in tree.append(leaf_hash(&n.to_be_bytes())) { tiles.insert((c.level,c.index),c.nodes);} }
  println!("append 2M {:?}", t.elapsed());
  let t=Instant::now(); for _ in 0..100_000 { std::hint::black_box(tree.root()); } println!("root {:?}", t.elapsed()/100_000);
  let t=Instant::now(); for n in 0..100_000u64 { std::hint::black_box(tree.inclusion_proof(n*19, 2_000_000, &tiles).unwrap()); } println!("incl old {:?}", t.elapsed()/100_000);
  let t=Instant::now(); for n in 0..100_000u64 { std::hint::black_box(tree.inclusion_proof(1_999_990 + n%10, 2_000_000, &tiles).unwrap()); } println!("incl new {:?}", t.elapsed()/100_000);
  let t=Instant::now(); for n in 0..100_000u64 { std::hint::black_box(tree.consistency_proof(1+n*19, 2_000_000, &tiles).unwrap()); } println!("cons {:?}", t.elapsed()/100_000);
  let s=Signer::new("fairshoe.example/log",&[1;32]).unwrap();
  let t=Instant::now(); for n in 0..10_000u64 { std::hint::black_box(s.sign_checkpoint(n, EMPTY_ROOT)); } println!("sign {:?}", t.elapsed()/10_000);
  let c=s.sign_checkpoint(5, EMPTY_ROOT);
  let t=Instant::now(); for _ in 0..10_000u64 { verify_checkpoint(&c, s.verifier_key()).unwrap(); } println!("verify {:?}", t.elapsed()/10_000);
  let mut acc=RootAccumulator::new(); let t=Instant::now(); for n in 0..2_000_000u64 { acc.append(leaf_hash(&n.to_be_bytes())); } println!("acc 2M {:?} same {}", t.elapsed(), acc.root()==tree.root());
  let t=Instant::now(); for i in 0..20_000u64 { let snap=tree.clone(); tree.append(leaf_hash(&i.to_be_bytes())); std::hint::black_box(&snap);} println!("append under a live snapshot {:?}", t.elapsed()/20_000);
}
