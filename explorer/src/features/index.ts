/** Features of the page, a folder each. No other file names a feature. */

import { VIEWS as OF_GROUPS, PICTURES } from "./groups";
import { CARDS, VIEWS as OF_INSIGHTS, REPORTS } from "./insights";
import { OF_LOAD, VIEWS as OF_RECALL } from "./recall";
import { OF_DATASET, OF_OUTPUT } from "./rows";

export const VIEWS = [...OF_INSIGHTS, ...OF_GROUPS, ...OF_RECALL];
export { start as START } from "./sign_in";
export { CARDS, OF_DATASET, OF_LOAD, OF_OUTPUT, PICTURES, REPORTS };
