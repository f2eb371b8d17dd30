// Lints and builds every Rust target of the workspace in one compilation, then runs the test binaries.
//
//   node scripts/lib/rust-tests.mjs build              lints (warnings denied) and builds
//   node scripts/lib/rust-tests.mjs unit|crates|e2e    runs the unit tests, those of the crates' `tests`, or the end-to-end tests
//   node scripts/lib/rust-tests.mjs all                runs all of these, the end-to-end tests beside the others
//   node scripts/lib/rust-tests.mjs doctests           runs the examples in documentation
//
// `cargo clippy` only type-checks, so that a `cargo test` after it compiles everything a second time. Clippy's driver is a full
// compiler: as the wrapper of an ordinary build it lints and generates code at once. Every build of a test run goes through here,
// because another selection of packages would give the dependencies other features and build them again.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";

const mode = process.argv[2] ?? "all";

const driver = spawnSync("rustup", ["which", "clippy-driver"], { encoding: "utf8" }).stdout?.trim() || "clippy-driver";
const environment = {
    ...process.env,
    RUSTC_WORKSPACE_WRAPPER: driver,
    CLIPPY_ARGS: ["-D", "warnings"].join("__CLIPPY_HACKERY__") + "__CLIPPY_HACKERY__",
    CARGO_TERM_PROGRESS_WHEN: "never",
    // Nothing is compiled again where the folder is thrown away afterwards, and nobody opens a debugger there.
    ...(process.env.CI
        ? { CARGO_INCREMENTAL: "0", CARGO_PROFILE_DEV_DEBUG: "0", CARGO_PROFILE_TEST_DEBUG: "0" }
        : {}),
};

/** Builds everything and answers the test binaries with the folders of their packages. */
async function build(quiet) {
    const cargo = spawn(
        "cargo",
        ["test", "--workspace", "--locked", "--no-run", "--message-format", "json-render-diagnostics", ...(quiet ? ["--quiet"] : [])],
        { env: environment, stdio: ["ignore", "pipe", "inherit"] },
    );
    const binaries = [];
    for await (const line of createInterface({ input: cargo.stdout })) {
        const message = JSON.parse(line);
        if (message.reason !== "compiler-artifact" || !message.profile.test || !message.executable) continue;
        binaries.push({
            executable: message.executable,
            folder: dirname(message.manifest_path),
            name: `${basename(dirname(message.manifest_path))}/${message.target.name}`,
            kind: message.target.name === "e2e" ? "e2e" : message.target.kind.includes("test") ? "crates" : "unit",
        });
    }
    const code = cargo.exitCode ?? (await new Promise((done) => cargo.once("close", done)));
    if (code !== 0) process.exit(code || 1);
    return binaries;
}

/** Runs one binary with these arguments and answers how it ended and what it printed. */
function execute({ executable, folder }, threads, args = []) {
    const child = spawn(executable, args, {
        cwd: folder,
        env: { ...process.env, CARGO_MANIFEST_DIR: folder, RUST_TEST_THREADS: process.env.RUST_TEST_THREADS ?? String(threads) },
        stdio: ["ignore", "pipe", "pipe"],
    });
    const output = [];
    child.stdout.on("data", (data) => output.push(data));
    child.stderr.on("data", (data) => output.push(data));
    return new Promise((done) => child.once("close", (code) => done({ code, text: Buffer.concat(output).toString() })));
}

/** The failed tests that the test harness lists at the end of its output. */
function failedTests(text) {
    const list = text.split("\nfailures:\n").at(-1);
    return text.includes("\nfailures:\n") ? [...list.matchAll(/^ {4}(\S+)$/gm)].map(([, test]) => test) : [];
}

/** The place and the first line of what a test said when it failed, and whether that is a counterexample of a property. */
function reason(text, test) {
    const said = text.split(`\n---- ${test} stdout ----\n`)[1]?.split("\n---- ")[0] ?? "";
    const [place, words] = said.split(" panicked at ").at(-1).split("\n");
    return { reason: `${place} ${words?.trim() ?? ""}`.slice(0, 400), isCounterexample: said.includes("minimal failing input") };
}

/** Runs one binary; its output is printed as a whole at the end, so that binaries that run side by side do not mix. */
async function run(binary, threads) {
    const { name } = binary;
    const started = Date.now();
    const { code, text } = await execute(binary, threads);
    const counts = text.match(/test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored/);
    const [passed, failed] = counts ? [Number(counts[1]), Number(counts[2])] : [0, code === 0 ? 0 : 1];
    if (code !== 0) console.log(`\n${text}`);
    console.log(`${code === 0 ? "ok    " : "FAILED"} ${name}: ${passed} passed, ${failed} failed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
    times[name] = Date.now() - started;
    return { binary, code, passed, failed, failures: failedTests(text).map((test) => ({ test, ...reason(text, test) })) };
}

/**
 * Runs the failed tests of a binary once more, one at a time and with nothing beside them, and answers whether all pass. Both outcomes
 * are printed: a test that fails only under load is one to mend, but no reason to distrust the change. The counterexample of a property
 * is a reason, although another run would draw other cases.
 */
async function passAlone({ binary, failures, code }) {
    let allPass = failures.length > 0;
    for (const { test, reason, isCounterexample } of failures) {
        const again = isCounterexample ? undefined : await execute(binary, 1, ["--exact", test]);
        const passes = again?.code === 0 && /test result: ok\. 1 passed/.test(again.text);
        if (again && !passes) console.log(`\n${again.text}`);
        const outcome = passes ? "UNSTABLE, failed beside others and passes alone" : again ? "FAILED twice" : "FAILED";
        summary.push(`${outcome}: ${binary.name} ${test}: ${reason}`);
        allPass &&= passes;
    }
    if (failures.length === 0) summary.push(`FAILED: ${binary.name} ended with ${code}`);
    return allPass;
}
const summary = [];

/** Runs binaries from one queue, `width` at a time. */
async function runAll(binaries, width, threads) {
    const queue = [...binaries];
    const results = [];
    const worker = async () => {
        for (let binary = queue.shift(); binary; binary = queue.shift()) results.push(await run(binary, threads));
    };
    await Promise.all(Array.from({ length: width }, worker));
    return results;
}

/** How long each binary took the last time, by name: the longest start first, so that none is left running alone at the end. */
const timesFile = join(process.env.CARGO_TARGET_DIR ?? "target", "test-times.json");
const times = existsSync(timesFile) ? JSON.parse(readFileSync(timesFile, "utf8")) : {};

if (mode === "doctests") {
    // `--doc` would look for examples in crates that have turned them off; only examples have a line in their names.
    process.exit(spawnSync("cargo", ["test", "--workspace", "--locked", "--quiet", "--", "(line "], { env: environment, stdio: "inherit" }).status ?? 1);
}
const binaries = await build(mode !== "build");
if (mode !== "build") {
    const cores = availableParallelism();
    const longestFirst = (one, other) => (times[other.name] ?? Infinity) - (times[one.name] ?? Infinity) || 0;
    const wanted = binaries.filter(({ kind }) => mode === "all" || mode === kind);
    const endToEnd = wanted.filter(({ kind }) => kind === "e2e");
    const others = wanted.filter(({ kind }) => kind !== "e2e").sort(longestFirst);
    // The end-to-end tests mostly wait for blocks, and some of the others for a database: more run at a time than there are cores.
    const results = (
        await Promise.all([
            runAll(endToEnd, 1, cores + 2),
            runAll(others, endToEnd.length > 0 ? 1 : cores, cores),
        ])
    ).flat();
    writeFileSync(timesFile, JSON.stringify(times, null, 2));
    let failed = false;
    for (const result of results.filter(({ code }) => code !== 0)) failed = !(await passAlone(result)) || failed;
    const total = (key) => results.reduce((sum, result) => sum + result[key], 0);
    console.log(`Rust: ${total("passed")} passed, ${total("failed")} failed`);
    for (const line of summary) console.log(line);
    process.exit(failed ? 1 : 0);
}
