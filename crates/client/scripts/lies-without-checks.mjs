// Takes each check out of the Rust SDK in turn, runs the table of lies against the rest, and says which lies are signed then, or are
// refused with other words. A lie that is refused as before whatever is taken out is reported: its row proves nothing.
//
//   node crates/client/scripts/lies-without-checks.mjs
//   node crates/client/scripts/lies-without-checks.mjs check/provider    # only checks in files with these words in their paths
//
// All checks are compiled once, each behind a number that the environment may name, and the tests run once for each number. For that the
// sources of crates/client are written anew, and put back at the end, also after Ctrl-C; what was not put back, `git checkout` does.
//
// What refuses is found by its words: `return Err(…)` and `check_…(…)?;` are left out, and `Err(…)` at an end is `Ok`. Where nothing is
// left to go on with (a value that is missing, a branch that must return), the SDK panics in place of the refusal: that shows which check
// refuses a lie, and that nothing is signed before it.
import { execFile, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const crate = fileURLToPath(new URL("..", import.meta.url));
const root = join(crate, "../..");
const LIB = join(crate, "src/lib.rs");
const PARTS = ["src/execute", "src/decimals.rs"];
const AT_ONCE = 2;
const wanted = process.argv.slice(2);

const HELPERS = `
/// Whether the check of this number is taken out.
pub(crate) fn without(check: u32) -> bool {
    std::env::var("WITHOUT_CHECK").is_ok_and(|one| one == check.to_string())
}

/// Ends the process where a check that is taken out leaves nothing to go on with.
pub(crate) fn gone(check: u32) {
    assert!(!without(check), "check {check} is taken out");
}

/// What a check that is taken out answers.
pub(crate) fn ok<T: Default, E>() -> Result<T, E> {
    Ok(T::default())
}
`;

/** The place after what begins there, if that is a text, a character or a comment. */
function skipped(code, at) {
    const raw = /^r(#*)"/.exec(code.slice(at, at + 8));
    if (raw && !/\w/.test(code[at - 1])) return code.indexOf(`"${raw[1]}`, at + raw[0].length) + 1 + raw[1].length;
    if (code.startsWith("//", at)) return code.indexOf("\n", at);
    const character = /^'(\\.[^']*|[^\\'])'/.exec(code.slice(at, at + 14));
    if (character) return at + character[0].length;
    if (code[at] !== '"') return at;
    let end = at + 1;
    while (code[end] !== '"') end += code[end] === "\\" ? 2 : 1;
    return end + 1;
}

/** The place of the bracket that closes the one at `open`. */
function closing(code, open) {
    let depth = 0;
    for (let at = open; at < code.length; at += 1) {
        const next = skipped(code, at);
        if (next !== at) {
            at = next - 1;
            continue;
        }
        if ("([{".includes(code[at])) depth += 1;
        if (")]}".includes(code[at])) depth -= 1;
        if (depth === 0) return at;
    }
    throw new Error("a bracket is not closed");
}

/** All refusals of a file, from the first to the last. */
function refusals(file, code) {
    const end = code.includes("#[cfg(test)]") ? code.indexOf("#[cfg(test)]") : code.length;
    const found = [];
    for (let at = 0; at < end; at += 1) {
        const next = skipped(code, at);
        if (next !== at) {
            at = next - 1;
            continue;
        }
        const text = code.slice(at);
        const is = (pattern) => !/[\w.:]/.test(code[at - 1] ?? " ") && pattern.exec(text);
        const before = code.slice(0, at).trimEnd();
        const add = (kind, from, open) => found.push({ file, kind, from: at + from, open: at + open, to: closing(code, at + open) + 1 });
        if (is(/^return Err\(/)) {
            const must = before.endsWith("=>") || /else \{$/.test(before);
            add(must ? "must return" : "return", 0, "return Err".length);
            at += "return Err".length;
        } else if (is(/^Err\(/) && !/\b(let|for) (Some\()?$/.test(before + " ")) {
            const close = closing(code, at + 3);
            const isPattern = /^\s*(=>|=[^=]|\||if\b)/.test(code.slice(close + 1)) || before.endsWith("let");
            if (!isPattern) add("end", 0, 3);
        } else if (/^\.ok_or(_else)?\(/.test(text)) {
            add("missing", 0, text.indexOf("("));
        } else if (/[;{}]$/.test(before) && is(/^(\w+::)*check_\w+\(/)) {
            const open = at + text.indexOf("(");
            if (/^\?;/.test(code.slice(closing(code, open) + 1))) add("call", 0, open - at);
        }
    }
    return found;
}

/** What stands in the place of a refusal. */
function replacement(code, { kind, from, open, to, number, panics }) {
    const [whole, inner] = [code.slice(from, to), code.slice(open + 1, to - 1)];
    const gone = `crate::gone(${number})`;
    switch (kind) {
        case "return":
            return panics ? `return { ${gone}; Err(${inner}) }` : `if !crate::without(${number}) { ${whole} }`;
        case "must return":
            return `return { ${gone}; Err(${inner}) }`;
        case "end":
            return panics ? `{ ${gone}; ${whole} }` : `(if crate::without(${number}) { crate::ok() } else { ${whole} })`;
        case "call":
            return `if !crate::without(${number}) { ${whole}?; }`;
        default:
            if (code.slice(from, open) === ".ok_or") return `.ok_or_else(|| { ${gone}; ${inner} })`;
            return `.ok_or_else(|| { ${gone}; (${inner})() })`;
    }
}

/** The code with all refusals behind their numbers; lines stay where they are. Refusals may lie in one another. */
function rewritten(code, all) {
    const inside = (from, to, list) => {
        let [text, at] = ["", from];
        for (const one of list) {
            if (one.from < at || one.to > to) continue;
            text += code.slice(at, one.from) + replacement(code, one);
            at = one.to + (one.kind === "call" ? 2 : 0);
        }
        return text + code.slice(at, to);
    };
    return inside(0, code.length, all);
}

function sources(part) {
    if (part.endsWith(".rs")) return [part];
    const entries = readdirSync(join(crate, part), { withFileTypes: true });
    const names = entries.flatMap((entry) => (entry.isDirectory() ? sources(join(part, entry.name)) : [join(part, entry.name)]));
    return names.filter((name) => name.endsWith(".rs") && !name.endsWith("tests.rs"));
}

const isMeant = (name) => wanted.length === 0 || wanted.some((word) => name.includes(word));
const files = new Map(PARTS.flatMap(sources).filter(isMeant).map((name) => [join(crate, name), readFileSync(join(crate, name), "utf8")]));
const lib = readFileSync(LIB, "utf8");
const putBack = () => {
    for (const [file, code] of [...files, [LIB, lib]]) if (readFileSync(file, "utf8") !== code) writeFileSync(file, code);
};

const driver = spawnSync("rustup", ["which", "clippy-driver"], { encoding: "utf8" }).stdout?.trim() || "clippy-driver";
const environment = {
    ...process.env,
    // As the builds of scripts/lib/rust-tests.mjs, whose dependencies are used again.
    RUSTC_WORKSPACE_WRAPPER: driver,
    CLIPPY_ARGS: ["-D", "warnings"].join("__CLIPPY_HACKERY__") + "__CLIPPY_HACKERY__",
};

/** Compiles the tests of the crate; the binary, or the places of what does not compile. */
function build() {
    const args = ["test", "--workspace", "--locked", "--no-run", "--test", "it", "--message-format", "json"];
    const { stdout, stderr } = spawnSync("cargo", args, { cwd: root, env: environment, encoding: "utf8", maxBuffer: 1 << 28 });
    const messages = stdout.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
    const isOwn = (message) => message.manifest_path === join(crate, "Cargo.toml");
    const binary = messages.find((message) => message.executable && isOwn(message) && message.target.name === "it");
    const errors = messages.filter((message) => message.reason === "compiler-message" && isOwn(message) && message.message.level === "error");
    if (!binary && errors.length === 0) throw new Error(stderr.slice(-2_000));
    const places = errors.map(({ message }) => ({ spans: message.spans, words: message.rendered ?? message.message }));
    return { binary: binary?.executable, places };
}

/** The lies that do not end as the table says, when this check is taken out. */
function run(binary, number) {
    return new Promise((resolve) => {
        const options = { cwd: crate, timeout: 120_000, maxBuffer: 1 << 26, env: { ...process.env, CARGO_MANIFEST_DIR: crate, WITHOUT_CHECK: String(number) } };
        execFile(binary, ["--nocapture", "--test-threads=1", "lies::"], options, (error, stdout, stderr) => {
            const red = new Map();
            for (const [, name, why] of `${stdout}${stderr}`.matchAll(/^not as in the table: (.*?): (.*)$/gm)) red.set(name, why);
            resolve({ red, failed: error !== null });
        });
    });
}

for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
        putBack();
        process.exit(1);
    });
}
try {
    const checks = [...files].flatMap(([file, code]) => refusals(file, code));
    for (const [index, check] of checks.entries()) check.number = index + 1;
    let built = { places: [] };
    for (let round = 0; round < 12 && !built.binary; round += 1) {
        for (const [file, code] of files) {
            writeFileSync(file, rewritten(code, checks.filter((check) => check.file === file && !check.left)));
        }
        writeFileSync(LIB, `#![allow(warnings, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]\n${lib}${HELPERS}`);
        built = build();
        for (const { spans, words } of built.places) {
            const at = ({ file_name: name, line_start: line, line_end: end }) => {
                const code = files.get(join(root, name)) ?? "";
                const lineOf = (place) => code.slice(0, place).split("\n").length;
                const isHere = (check) => !check.left && relative(root, check.file) === name && lineOf(check.from) <= end && lineOf(check.to) >= line;
                return checks.filter(isHere);
            };
            // Two branches that do not fit together are told at the later one; a span of many lines is the whole of both.
            const own = spans.filter((span) => span.is_primary).flatMap(at);
            const guilty = own.length > 0 ? own : spans.filter((span) => span.line_end - span.line_start < 6).flatMap(at);
            if (guilty.length === 0) throw new Error(words);
            // What cannot be left out panics; what cannot do that either stays.
            for (const check of guilty) {
                if (check.panics || ["missing", "call", "must return"].includes(check.kind)) check.left = true;
                check.panics = true;
            }
        }
    }
    if (!built.binary) throw new Error("it does not compile without its checks");
    const whole = await run(built.binary, 0);
    if (whole.failed || whole.red.size > 0) throw new Error(`these fail with all checks: ${[...whole.red.keys()].join(", ")}`);

    const table = JSON.parse(readFileSync(join(root, "tests/cases/lies.json"), "utf8"));
    const rows = new Map([...table.lies, ...table.transfers.lies].map(({ name }) => [name, { out: [], gone: [] }]));
    const queue = checks.filter((check) => !check.left);
    const total = queue.length;
    const work = async () => {
        for (let check = queue.shift(); check; check = queue.shift()) {
            const { red, failed } = await run(built.binary, check.number);
            const code = files.get(check.file);
            const place = `${relative(crate, check.file)}:${code.slice(0, check.from).split("\n").length}`;
            const panics = check.panics || ["missing", "must return"].includes(check.kind);
            const words = code.slice(check.from, check.to).slice(0, 90).replaceAll(/\s+/g, " ");
            console.log(`${place} ${red.size || (failed ? "some" : 0)} ${panics ? "panic" : "fail"} without: ${words}`);
            for (const name of red.keys()) rows.get(name)?.[panics ? "gone" : "out"].push(place);
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const of = (test) => [...rows].filter(([, places]) => test(places)).map(([name]) => name);
    const never = of(({ out, gone }) => out.length + gone.length === 0);
    const only = of(({ out, gone }) => out.length === 0 && gone.length > 0);
    console.log(`${total} checks, ${rows.size} lies: ${rows.size - only.length - never.length} fail without a check, ${only.length} panic in its place`);
    if (only.length > 0) console.log(`Only by a panic: ${only.join("; ")}`);
    if (never.length > 0 && wanted.length === 0) {
        console.log(`Refused as before whatever is taken out: ${never.join("; ")}`);
        process.exitCode = 1;
    }
} finally {
    putBack();
}
