/** The export of a zone: a BIND zone file, with what BIND does not know in comments. */

import { RECORD_TYPES, type RecordData, type ZoneData } from "./data.js";

export function zoneFile({ name, records }: ZoneData, now: number): string {
  const exportedAt = new Date(now).toISOString().slice(0, 19).replace("T", " ");
  const sections = RECORD_TYPES.map((type) => section(type, [...records.values()])).filter((text) => text !== "");
  return [`;;\n;; Domain:     ${name}.\n;; Exported:   ${exportedAt}\n;;\n`, ...sections].join("\n");
}

function section(type: string, records: readonly RecordData[]): string {
  const lines = records.filter((record) => record.type === type).map(line);
  return lines.length === 0 ? "" : `;; ${type} Records\n${lines.join("\n")}\n`;
}

function line({ name, ttl, type, content, comment, tags, proxied }: RecordData): string {
  const target = type === "CNAME" ? `${content}.` : content;
  const marks = [...(["A", "AAAA", "CNAME"].includes(type) ? [`cf-proxied:${proxied}`] : []), ...tags];
  const remarks = [
    ...(comment === null ? [] : [comment]),
    ...(marks.length === 0 ? [] : [`cf_tags=${marks.join(",")}`]),
  ];
  const remark = remarks.length === 0 ? "" : ` ; ${remarks.join(" ")}`;
  return `${name}.\t${ttl}\tIN\t${type}\t${target}${remark}`;
}
