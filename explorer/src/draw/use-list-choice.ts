/** Whether a view shows its picture, its list, or both: on a phone one of the two, the list at first. */

import { useState } from "react";

import { useNarrow } from "../parts/tools";

export interface ListChoice {
  isNarrow: boolean;
  /** True on a phone whose reader asked for the picture. */
  isPicture: boolean;
  choosePicture: (isPicture: boolean) => void;
  isList: boolean;
  showList: (isList: boolean) => void;
}

/** Return the choice; `list` is that of the address, which `setList` writes. */
export function useListChoice(list: boolean, setList: (list: boolean) => void): ListChoice {
  const isNarrow = useNarrow();
  const [isPicture, setPicture] = useState(false);
  return {
    isNarrow,
    isPicture,
    choosePicture: setPicture,
    isList: isNarrow ? !isPicture : list,
    showList: (isList) => (isNarrow ? setPicture(!isList) : setList(isList)),
  };
}
