#![no_main]
causeway_fuzz::target!(causeway_solana::fuzzing::PARSERS);
