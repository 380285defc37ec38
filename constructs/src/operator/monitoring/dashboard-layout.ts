/** Grafana's grid is 24 columns wide. */
const COLUMNS = 24;
const STAT_HEIGHT = 4;
const GRAPH_HEIGHT = 8;

/** A curve of a panel. */
export interface Curve {
  readonly expr: string;
  /** Name of each line; Grafana replaces labels such as `{{name}}`. */
  readonly legend: string;
}

/** A panel of the dashboard. */
export interface Panel {
  readonly title: string;
  /** Explanation for the reader. */
  readonly description: string;
  readonly type: "stat" | "timeseries" | "table";
  /** Grafana's name of the unit. */
  readonly unit: "short" | "s" | "percentunit" | "ops";
  readonly curves: readonly Curve[];
}

/** Panels side by side under a heading. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** The panels of all rows in Grafana's JSON model, with their ids and positions. */
export function arrange(rows: readonly Row[]): object[] {
  const placed: object[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    placed.push({ id: placed.length + 1, type: "row", title, collapsed: false, panels: [], gridPos: place(0, y, 1) });
    const height = panels.every(({ type }) => type === "stat") ? STAT_HEIGHT : GRAPH_HEIGHT;
    const width = Math.floor(COLUMNS / panels.length);
    for (const [index, panel] of panels.entries()) {
      placed.push(render(panel, placed.length + 1, place(index * width, y + 1, height, width)));
    }
    y += 1 + height;
  }
  return placed;
}

function place(x: number, y: number, h: number, w = COLUMNS): object {
  return { x, y, w, h };
}

function render({ title, description, type, unit, curves }: Panel, id: number, gridPos: object): object {
  const datasource = { type: "prometheus", uid: "$datasource" };
  // A table shows only the current values.
  const form = type === "table" ? { format: "table", instant: true } : {};
  return {
    id,
    type,
    title,
    description,
    gridPos,
    datasource,
    // Grafana shows this in place of "No data".
    fieldConfig: { defaults: { unit, min: 0, noValue: "0" }, overrides: [] },
    targets: curves.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + index),
      datasource,
      expr,
      legendFormat: legend,
      ...form,
    })),
  };
}
