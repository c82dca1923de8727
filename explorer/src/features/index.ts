/** Features of the page, a folder each. No other file names a feature. */

export { CARDS, REPORTS, VIEWS } from "./insights";
