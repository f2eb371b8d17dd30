import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { missing, read, root, run, yaml } from "./tools.js";

const rules = yaml(read("deploy/prometheus/alerts.yml"))[0].groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read("deploy/grafana/causeway.json"));
const panels = dashboard.panels.flatMap((panel) => panel.targets ?? []).map((target) => target.expr);
const queries = [...rules.map((rule) => rule.expr), ...panels, ...dashboard.annotations.list.map((list) => list.expr), ...dashboard.templating.list.map((variable) => variable.query.query ?? "")];
// Those of Prometheus and of the blackbox exporter.
const others = new Set(["up", "probe_success", "ALERTS"]);

/** The selectors in a query: metric names with the labels that they are selected by. */
const selectors = (query) =>
    [...query.replace(/"[^"]*"/g, '""').matchAll(/\b(causeway_\w+|probe_\w+|up|ALERTS)\b(?:\{([^}]*)\})?/g)].map(([, name, labels = ""]) => ({
        name,
        labels: [...labels.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map((match) => match[1]),
    }));
const family = (name) => name.replace(/_(total|bucket|count|sum)$/, "");

test("every alert says how bad it is, and has a page that says what to do", () => {
    for (const { alert, labels, annotations } of rules) {
        assert.ok(["critical", "warning"].includes(labels.severity), alert);
        assert.ok(annotations.summary && annotations.description, alert);
        assert.match(annotations.runbook, /^docs\/runbooks\/[a-z-]+\.md$/, alert);
        assert.ok(existsSync(`${root}/${annotations.runbook}`), `${alert}: no ${annotations.runbook}`);
        assert.ok(read(annotations.runbook).includes(`\`${alert}\``), `${annotations.runbook} does not name ${alert}`);
    }
    const index = read("docs/runbooks/README.md");
    for (const page of readdirSync(`${root}/docs/runbooks`)) if (page !== "README.md") assert.ok(index.includes(`](${page})`), `the list of runbooks has no ${page}`);
});

test("every alert has a case in which it fires and one in which it is silent", () => {
    const cases = yaml(read("deploy/prometheus/alerts.test.yml"))[0].tests.flatMap((one) => one.alert_rule_test);
    for (const { alert } of rules) {
        const mine = cases.filter((one) => one.alertname === alert);
        assert.ok(mine.some((one) => one.exp_alerts?.length), `${alert} never fires`);
        assert.ok(mine.some((one) => !one.exp_alerts?.length), `${alert} is never silent`);
    }
});

test("every metric is in the sources", () => {
    const sources = run("git", ["grep", "-hoE", '"[a-z]+(_[a-z]+)+"', "--", "crates/*/src/*.rs"]).output;
    const known = new Set(sources.split("\n").map((name) => `causeway_${name.slice(1, -1)}`));
    const used = queries.flatMap(selectors);
    assert.ok(used.length > 30);
    for (const { name } of used) {
        // The name of a histogram may have its unit from the encoder.
        const base = family(name);
        assert.ok(others.has(name) || known.has(base) || known.has(base.replace(/_seconds$/, "")), `no source has the metric ${name}`);
    }
});

test("metrics and labels are those of a running service", async (t) => {
    const url = process.env.CAUSEWAY_URL;
    if (!url) return t.skip("CAUSEWAY_URL names no service");
    // A request with an error, so that its counter exists.
    await fetch(`${url}/v1/orders/by-id/none`, { headers: { "x-sdk-version": "test" } });
    await fetch(`${url}/v1/quotes`, { method: "POST", body: "{}" });
    const response = await fetch(`${url}/metrics`);
    const text = await response.text();
    const live = new Map();
    for (const [, name, labels = ""] of text.matchAll(/^(causeway_\w+)(?:\{(.*)\})? /gm)) live.set(name, new Set([...labels.matchAll(/(\w+)="/g)].map((match) => match[1])));
    // Gauges of what there is none of have a type and no values.
    const typed = new Set([...text.matchAll(/^# TYPE (causeway_\w+)/gm)].map((match) => match[1]));
    for (const { name, labels } of queries.flatMap(selectors)) {
        if (!live.has(name) && typed.has(name)) continue;
        // Price sources are counted where one is configured, SDKs where one calls.
        if (others.has(name) || /^causeway_price_|_by_sdk_/.test(name)) continue;
        assert.ok(live.has(name), `the service has no metric ${name}`);
        for (const label of labels) if (!["instance", "job"].includes(label)) assert.ok(live.get(name).has(label), `${name} has no label ${label}`);
    }
    if (missing(t, "promtool", ["--version"], "the names of the metrics were not checked")) return;
    const checked = run("promtool", ["check", "metrics"], { input: text });
    // OpenMetrics has the help of a counter under its name without _total, which this check does not know.
    const complaints = `${checked.output}${checked.errors}`.split("\n").filter((line) => line && !/_total no help text$/.test(line));
    assert.deepEqual(complaints, []);
});

test("promtool accepts rules and configuration, and the alerts fire as they should", (t) => {
    if (missing(t, "promtool", ["--version"], "the alert rules were not tested")) return;
    for (const words of [["check", "rules", "deploy/prometheus/alerts.yml"], ["check", "config", "--syntax-only", "deploy/prometheus/prometheus.yml"], ["test", "rules", "deploy/prometheus/alerts.test.yml"]]) {
        const done = run("promtool", words);
        assert.equal(done.code, 0, `${done.output}${done.errors}`);
    }
});

test("the dashboard's queries are valid, and its panels do not overlap", (t) => {
    const taken = new Set();
    for (const { title, gridPos } of dashboard.panels)
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
            for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
                assert.ok(x < 24 && !taken.has(`${x},${y}`), `${title} overlaps`);
                taken.add(`${x},${y}`);
            }
    if (missing(t, "promtool", ["--version"], "the dashboard's queries were not parsed")) return;
    const record = panels.map((query, n) => ({ record: `panel:query:${n}`, expr: query.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*") }));
    const folder = mkdtempSync(join(tmpdir(), "causeway-panels."));
    writeFileSync(join(folder, "panels.yml"), JSON.stringify({ groups: [{ name: "panels", rules: record }] }));
    const done = run("promtool", ["check", "rules", join(folder, "panels.yml")]);
    rmSync(folder, { recursive: true });
    assert.equal(done.code, 0, `${done.output}${done.errors}`);
});
