//! The client against a scripted store, in virtual time: no network, no real sleeping.
#![allow(clippy::unwrap_used)]

mod fetching;
mod script;
mod sending;
