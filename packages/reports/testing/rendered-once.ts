/** Renders each input once, independent of the number of tests that read the result. Equal inputs have equal JSON. */
export function renderedOnce<Input, Output>(render: (input: Input) => Output): (input: Input) => Output {
  const outputs = new Map<string, Output>()
  return (input) => {
    const key = JSON.stringify(input)
    const known = outputs.get(key)
    if (known !== undefined) return known
    const output = render(input)
    outputs.set(key, output)
    return output
  }
}
