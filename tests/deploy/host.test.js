import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { deploy, missing, run } from "./tools.js";

const units = readdirSync(join(deploy, "systemd")).filter((name) => /\.(service|timer)$/.test(name));

test("systemd accepts the units, and finds little exposed", (t) => {
    if (missing(t, "systemd-analyze", ["--version"], "the units were not checked")) return;
    const folder = mkdtempSync(join(tmpdir(), "causeway-units."));
    try {
        for (const name of units) {
            // The programs need not be installed here, and a template is checked as an instance of it.
            const text = readFileSync(join(deploy, "systemd", name), "utf8").replace(/^ExecStart=\S+/gm, "ExecStart=/bin/true");
            writeFileSync(join(folder, name.replace("@.", "@one.")), text);
        }
        const files = readdirSync(folder).map((name) => join(folder, name));
        const verified = run("systemd-analyze", ["verify", "--man=no", ...files]);
        const words = `${verified.output}${verified.errors}`.split("\n").filter((line) => line.includes(folder) || line.includes("causeway"));
        assert.deepEqual([verified.code, words], [0, []], verified.errors);
        for (const file of files.filter((name) => name.endsWith(".service"))) {
            const rated = run("systemd-analyze", ["security", "--offline=yes", "--threshold=20", file]);
            assert.equal(rated.code, 0, `${file}: ${rated.output.split("\n").slice(-2).join("")}`);
        }
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
});

test("shellcheck finds nothing in the scripts", (t) => {
    const scripts = ["deploy/scripts/backup", "deploy/scripts/restore", "deploy/scripts/update", "deploy/compose/setup", "deploy/kubernetes/prometheus-rule", "tests/deploy/restore"];
    if (missing(t, "shellcheck", ["--version"], "the scripts were not checked")) return;
    const done = run("shellcheck", scripts);
    assert.equal(done.code, 0, done.output);
});
