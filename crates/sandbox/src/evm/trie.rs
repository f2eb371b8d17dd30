use std::sync::{Arc, OnceLock};

use alloy_primitives::{B256, Bytes, keccak256};
use alloy_trie::nodes::{BranchNodeRef, ExtensionNodeRef, LeafNodeRef, RlpNode};
use alloy_trie::{EMPTY_ROOT_HASH, Nibbles, TrieMask};

/// A Merkle Patricia trie over keys of one length. Clones share nodes, and each node is hashed once: a change costs
/// only the hashes on its path to the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trie(Option<Arc<Node>>);

#[derive(Debug)]
struct Node {
    /// The part of the key between the parent and this node.
    path: Nibbles,
    kind: Kind,
    /// How the parent refers to it.
    reference: OnceLock<RlpNode>,
}

#[derive(Debug)]
enum Kind {
    Leaf(Vec<u8>),
    /// Two children or more; a non-empty path is encoded as an extension node.
    Branch(Children),
}

type Children = [Option<Arc<Node>>; 16];

impl Trie {
    pub(crate) fn insert(&mut self, key: B256, value: Vec<u8>) {
        let path = Nibbles::unpack(key);
        self.0 = Some(match &self.0 {
            None => Node::leaf(path, value),
            Some(root) => root.insert(path, value),
        });
    }

    pub(crate) fn remove(&mut self, key: B256) {
        if let Some(root) = &self.0 {
            self.0 = root.remove(Nibbles::unpack(key));
        }
    }

    pub(crate) fn root(&self) -> B256 {
        let Some(root) = &self.0 else {
            return EMPTY_ROOT_HASH;
        };
        // A root shorter than a hash is hashed as well.
        root.reference().as_hash().unwrap_or_else(|| keccak256(root.reference()))
    }

    /// The nodes from the root down to where the key is or would be.
    pub(crate) fn prove(&self, key: B256) -> Vec<Bytes> {
        let (mut nodes, mut next, mut left) = (Vec::new(), self.0.clone(), Nibbles::unpack(key));
        while let Some(node) = next.take() {
            let (top, branch) = node.encode();
            // A node shorter than a hash is inlined in its parent.
            let is_separate = |node: &Vec<u8>, nodes: &[Bytes]| nodes.is_empty() || node.len() >= 32;
            for encoded in std::iter::once(top).chain(branch.filter(|_| left.starts_with(&node.path))) {
                if is_separate(&encoded, &nodes) {
                    nodes.push(encoded.into());
                }
            }
            if let Kind::Branch(children) = &node.kind
                && left.starts_with(&node.path)
                && let Some(nibble) = left.get(node.path.len())
            {
                left = left.slice(node.path.len() + 1..);
                next = child(children, nibble).cloned();
            }
        }
        nodes
    }
}

impl Node {
    fn new(path: Nibbles, kind: Kind) -> Arc<Self> {
        Arc::new(Self { path, kind, reference: OnceLock::new() })
    }

    fn leaf(path: Nibbles, value: Vec<u8>) -> Arc<Self> {
        Self::new(path, Kind::Leaf(value))
    }

    fn with_path(&self, path: Nibbles) -> Arc<Self> {
        let kind = match &self.kind {
            Kind::Leaf(value) => Kind::Leaf(value.clone()),
            Kind::Branch(children) => Kind::Branch(children.clone()),
        };
        Self::new(path, kind)
    }

    fn insert(&self, path: Nibbles, value: Vec<u8>) -> Arc<Self> {
        let shared = self.path.common_prefix_length(&path);
        let Some(nibble) = path.get(shared) else {
            // Keys have one length, so a full match is the leaf.
            return Self::leaf(path, value);
        };
        let rest = path.slice(shared + 1..);
        let mut children = Children::default();
        match (&self.kind, self.path.get(shared)) {
            (Kind::Branch(own), None) => {
                children.clone_from(own);
                let below = match child(own, nibble) {
                    Some(below) => below.insert(rest, value),
                    None => Self::leaf(rest, value),
                };
                put(&mut children, nibble, Some(below));
            }
            (_, own) => {
                let own = own.unwrap_or_default();
                put(&mut children, own, Some(self.with_path(self.path.slice(shared + 1..))));
                put(&mut children, nibble, Some(Self::leaf(rest, value)));
            }
        }
        Self::new(path.slice(..shared), Kind::Branch(children))
    }

    /// The node without the key; `None` when it was the only one.
    fn remove(self: &Arc<Self>, path: Nibbles) -> Option<Arc<Self>> {
        let children = match &self.kind {
            Kind::Leaf(_) => return (self.path != path).then(|| Arc::clone(self)),
            Kind::Branch(_) if !path.starts_with(&self.path) => return Some(Arc::clone(self)),
            Kind::Branch(children) => children,
        };
        let nibble = path.get(self.path.len())?;
        let Some(below) = child(children, nibble) else {
            return Some(Arc::clone(self));
        };
        let after = below.remove(path.slice(self.path.len() + 1..));
        if after.as_ref().is_some_and(|after| Arc::ptr_eq(after, below)) {
            return Some(Arc::clone(self));
        }
        let mut children = children.clone();
        put(&mut children, nibble, after);
        let mut left = (0..).zip(&children).filter_map(|(nibble, child)| Some((nibble, child.as_ref()?)));
        match (left.next(), left.next()) {
            // A branch with one child collapses.
            (Some((nibble, only)), None) => {
                let mut path = self.path;
                path.push(nibble);
                Some(only.with_path(path.join(&only.path)))
            }
            _ => Some(Self::new(self.path, Kind::Branch(children))),
        }
    }

    fn reference(&self) -> &RlpNode {
        self.reference.get_or_init(|| RlpNode::from_rlp(&self.encode().0))
    }

    /// The node as it is hashed; for a branch behind an extension, both.
    fn encode(&self) -> (Vec<u8>, Option<Vec<u8>>) {
        let children = match &self.kind {
            Kind::Leaf(value) => return (alloy_rlp::encode(LeafNodeRef::new(&self.path, value)), None),
            Kind::Branch(children) => children,
        };
        let mut mask = TrieMask::default();
        let mut references = Vec::with_capacity(children.len());
        for (nibble, child) in (0..).zip(children) {
            if let Some(child) = child {
                mask.set_bit(nibble);
                references.push(child.reference().clone());
            }
        }
        let branch = alloy_rlp::encode(BranchNodeRef::new(&references, mask));
        if self.path.is_empty() {
            return (branch, None);
        }
        let below = RlpNode::from_rlp(&branch);
        (alloy_rlp::encode(ExtensionNodeRef::new(&self.path, &below)), Some(branch))
    }
}

fn child(children: &Children, nibble: u8) -> Option<&Arc<Node>> {
    children.get(usize::from(nibble))?.as_ref()
}

fn put(children: &mut Children, nibble: u8, node: Option<Arc<Node>>) {
    if let Some(place) = children.get_mut(usize::from(nibble)) {
        *place = node;
    }
}
