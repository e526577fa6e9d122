//! The examples are in the folders beside this file.
