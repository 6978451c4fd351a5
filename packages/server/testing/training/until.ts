/** Waits until `reached` answers true; a promise that it never does ends the test with its own time limit. */
export async function until(reached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await reached())) await new Promise((resume) => setTimeout(resume, 5))
}
