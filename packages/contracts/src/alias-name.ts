/** Without "_", so that no alias is the id of a model or one of the automatic aliases. */
export const ALIAS_NAME = /^(?!latest$)[a-z0-9][a-z0-9.-]{0,62}$/
