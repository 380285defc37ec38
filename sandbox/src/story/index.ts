/** A story: a scenario played by the real operator in a simulated world, and the rules that must hold in it. */

export { playStory } from "./command.js";
export { RULES } from "./rules/rules.js";
