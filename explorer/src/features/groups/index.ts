/** The estate as groups: a view, and a picture on the start. */

import type { ComponentType } from "react";
import type { Feature } from "../../api/client";
import { lazyView, type ViewAt } from "../../parts/boundary";
import { EstatePicture } from "./picture";

export const VIEWS: readonly ViewAt[] = [["/estate", lazyView(() => import("./estate"), "EstateView"), "reportEstate"]];
export const PICTURES: readonly [Feature, ComponentType][] = [["reportEstate", EstatePicture]];
