/** An error's text in short: what happened and, of a chain of causes, the last. */

// "Caused by: " of Java, and the last line of a Python traceback.
const CAUSE = /^(?:Caused by: |.*?\bCaused by: )(.*)$/;
const TRACEBACK = "Traceback (most recent call last):";
// A frame of a stack says where, not what.
const FRAME = /^\s*(at |\.\.\. \d+ (more|common)|File ")/;
const LINE_CHARS_MAX = 300;

/** Return at most two lines of an error. */
export function shortError(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !FRAME.test(line));
  const first = lines[0] === TRACEBACK ? lines[lines.length - 1] : lines[0];
  const causes = lines.flatMap((line, place) => (place > 0 ? (CAUSE.exec(line)?.[1] ?? []) : []));
  const cause = causes[causes.length - 1];
  // Where no cause is named, the line below the first says more, as of Spark's.
  const second = cause === undefined ? (lines[0] === TRACEBACK ? undefined : lines[1]) : `Caused by: ${cause}`;
  return [first ?? text, second]
    .filter((line) => line !== undefined)
    .map((line) => (line.length > LINE_CHARS_MAX ? `${line.slice(0, LINE_CHARS_MAX)}…` : line))
    .join("\n");
}

/** Return the last line of an error in short: of a chain of causes, the last. */
export const lastLine = (text: string) => shortError(text).split("\n").at(-1) ?? "";
