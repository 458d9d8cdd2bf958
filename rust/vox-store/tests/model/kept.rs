//! Compares what stands beside the items: links, usage, cursors, quarantine, names of things.

use std::collections::BTreeMap;

use vox_format::rows::{self, CursorRow, UsageRow};
use vox_store::{
    Store, blobs,
    spine::{self, symbols, windows},
    tables::{Table, Tables},
};
use vox_types::BlobRef;

use super::Model;

type Txn<'t> = heed::RoTxn<'t>;

impl Model {
    /// Asserts that the tables beside the items hold just what the model does.
    pub fn compare_kept(&self, store: &Store) {
        store
            .read(|tables, txn| {
                self.compare_lineage(tables, txn);
                self.compare_sources(tables, txn);
                for (no, window) in self.windows.iter().enumerate() {
                    let row = windows::expect(tables, txn, no as u32)?;
                    let repo = symbols::text(tables, txn, row.repo)?;
                    assert_eq!(repo, window.repo.as_deref(), "the repository of window {no}");
                }
                for own in &self.own {
                    let item = own.id.expect("items were compared before");
                    let (chunk, place) = vox_store::spine::runs::chunk_of(tables, txn, item)?;
                    let row = chunk.row(place)?;
                    assert_eq!(symbols::text(tables, txn, row.name)?, own.name.as_deref());
                }
                Ok(())
            })
            .unwrap();
    }

    fn compare_lineage(&self, tables: &Tables, txn: &Txn<'_>) {
        let links: BTreeMap<Vec<u8>, Vec<u8>> = self
            .links
            .iter()
            .map(|((from, link, to), ordinal)| {
                let (from, to) = ((*from as u32).to_be_bytes(), (*to as u32).to_be_bytes());
                ([&from[..], &[*link], &to].concat(), ordinal.to_le_bytes().into())
            })
            .collect();
        assert_eq!(dump(tables.links, txn), links, "links");
        let awaited: BTreeMap<Vec<u8>, Vec<u8>> = self
            .awaited
            .iter()
            .map(|((key, child), link)| {
                let hash = blake3::hash(key.as_bytes());
                let child = (*child as u32).to_be_bytes();
                ([&hash.as_bytes()[..16], &child].concat(), vec![*link as u8])
            })
            .collect();
        assert_eq!(dump(tables.awaited, txn), awaited, "awaited");
        let mut usage: BTreeMap<String, (usize, UsageRow)> = BTreeMap::new();
        for (key, row) in dump(tables.usage, txn) {
            let row: UsageRow = rows::decode(&row, "usage").unwrap();
            assert_eq!(key[4..], windows::short_hash(&row.key));
            let window = u32::from_be_bytes(key[..4].try_into().unwrap()) as usize;
            assert!(
                usage.insert(row.key.clone(), (window, row)).is_none(),
                "a response has two rows"
            );
        }
        assert_eq!(usage, self.usage);
    }

    fn compare_sources(&self, tables: &Tables, txn: &Txn<'_>) {
        let mut cursors: BTreeMap<Vec<u8>, CursorRow> = BTreeMap::new();
        for row in dump(tables.cursors, txn).values() {
            let row: CursorRow = rows::decode(row, "a cursor").unwrap();
            cursors.insert(row.path.clone(), row);
        }
        assert_eq!(cursors, self.cursors);
        let mut stretches = BTreeMap::new();
        for path in self.cursors.keys() {
            for (offset, row) in spine::cursors::quarantine(tables, txn, path).unwrap() {
                let bytes = row.blob.map(|blob| blobs::read(tables, txn, BlobRef(blob)).unwrap());
                let place = (path.clone(), offset, bytes);
                assert!(stretches.insert(place, (row.length, row.reason)).is_none());
            }
        }
        let expected = self
            .quarantine
            .iter()
            .map(|(place, stretch)| (place.clone(), (stretch.length, stretch.reason.to_owned())));
        assert_eq!(stretches, expected.collect());
    }
}

fn dump(table: Table, txn: &Txn<'_>) -> BTreeMap<Vec<u8>, Vec<u8>> {
    table.iter(txn).unwrap().map(|row| row.unwrap()).map(|(k, v)| (k.into(), v.into())).collect()
}
