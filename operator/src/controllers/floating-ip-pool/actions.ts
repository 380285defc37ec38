/** What a plan of a pool asks for; `execute` answers each action with an outcome. */

import type { ListAction, RecordAction as SharedRecordAction } from "../../addresses/actions.js";

export type {
  Action,
  ActionSequence,
  AddressAction,
  NodeAction,
  NodeRef,
} from "../../addresses/actions.js";

/** What the API server keeps. */
export type RecordAction = SharedRecordAction | ListAction;
