import type { RouteName } from '@medloom/contracts'

/**
 * Process that executes a route. "any": reads rows and the shared data folder, or accepts work only by writing rows. "controller": starts,
 * follows or ends something, runs Python, keeps data in memory, or removes or replaces files.
 */
export const ROUTE_PROCESSES = {
  startTraining: 'any',
  checkTraining: 'controller',
  listJobs: 'any',
  listJobTags: 'any',
  getJobStatus: 'any',
  editJob: 'any',
  deleteJob: 'controller',
  stopJob: 'controller',
  finishJob: 'controller',
  resumeJob: 'any',
  getJobLogs: 'any',
  findInJobLogs: 'any',
  // The process that aggregates curves also reads them, so that levels and messages are consistent.
  getJobMetrics: 'controller',
  listJobMetrics: 'controller',
  getJobResources: 'controller',
  listJobEvents: 'any',
  listJobCheckpoints: 'any',
  listJobFiles: 'any',
  getJobFile: 'any',

  startStudy: 'controller',
  checkStudy: 'controller',
  listStudies: 'any',
  getStudy: 'any',
  getStudyResults: 'any',
  deleteStudy: 'controller',
  stopStudy: 'controller',
  resumeStudy: 'controller',
  getStudyReport: 'any',
  reportStudy: 'controller',

  listModels: 'any',
  getModel: 'any',
  listModelCheckpoints: 'any',
  getModelCard: 'any',
  deleteModel: 'controller',
  evaluateModel: 'controller',
  createEnsemble: 'controller',
  exportModel: 'controller',
  compareModels: 'controller',
  listBackbones: 'any',

  listAliases: 'any',
  getAlias: 'any',
  listAliasMoves: 'any',
  setAlias: 'any',
  removeAlias: 'any',

  listEvaluations: 'any',
  listModelEvaluations: 'any',
  getEvaluation: 'any',
  listEvaluationCases: 'any',
  getFailureImage: 'any',
  reportEvaluation: 'controller',
  getComparison: 'any',
  listComparedCases: 'any',
  getTestUses: 'any',

  predictCases: 'controller',
  getModelInputs: 'controller',
  listPredictions: 'any',
  getPrediction: 'any',
  getPredictionFile: 'any',

  listDatasets: 'any',
  registerDataset: 'controller',
  makeExample: 'controller',
  getDataset: 'any',
  editDataset: 'controller',
  deleteDataset: 'controller',
  inspectDataset: 'controller',
  proposeRecipe: 'controller',
  listCases: 'controller',
  getDistribution: 'controller',
  listThumbnails: 'controller',
  previewCases: 'controller',
  findLeaks: 'controller',
  getImage: 'controller',
  getImageInfo: 'controller',
  previewUpload: 'controller',

  listTasks: 'controller',
  getTask: 'controller',
  cancelTask: 'controller',

  listFiles: 'any',
  createUpload: 'controller',
  listUploads: 'controller',
  getUpload: 'controller',
  sendUpload: 'controller',
  finishUpload: 'controller',
  deleteUpload: 'controller',

  // The state of an active run, custom nodes and the digests of sources are in the memory of the controller.
  listNodes: 'controller',
  createWorkflow: 'controller',
  workflowOfTraining: 'any',
  upgradeWorkflow: 'any',
  importWorkflow: 'controller',
  listWorkflows: 'any',
  checkWorkflow: 'controller',
  configurationOfWorkflow: 'controller',
  listTemplates: 'controller',
  getCache: 'controller',
  clearCache: 'controller',
  getWorkflow: 'controller',
  updateWorkflow: 'controller',
  deleteWorkflow: 'controller',
  executeWorkflow: 'controller',
  planWorkflow: 'controller',
  getWorkflowStatus: 'controller',
  previewNode: 'controller',
  getPortValue: 'controller',
  getPortFile: 'controller',
  listWorkflowRuns: 'any',
  getWorkflowRun: 'controller',
  getWorkflowRunLog: 'controller',
  listWorkflowRevisions: 'any',
  getWorkflowRevision: 'any',
  getWorkflowDifference: 'any',
  getDraft: 'any',
  saveDraft: 'any',
  deleteDraft: 'any',
  cancelWorkflow: 'controller',
  exportWorkflow: 'any',
  clearWorkflowCache: 'controller',

  getSession: 'any',
  login: 'any',
  logout: 'any',

  createToken: 'any',
  listTokens: 'any',
  revokeToken: 'any',
  listUsers: 'any',
  // The scheduler lets the waiting jobs of the user start.
  setUser: 'controller',
  listAudit: 'any',
  // Data from a trainer goes to the process that follows it.
  getExchangeOrder: 'controller',
  sendExchangeHeartbeat: 'controller',
  sendExchangeStream: 'controller',
  announceExchangeFile: 'controller',
  sendExchangeFile: 'controller',
  getExchangeFacts: 'controller',
  getExchangeData: 'controller',

  getSystemInfo: 'any',
  getServiceState: 'controller',
  getHealth: 'any',
  getReady: 'any',
  getPreparedCache: 'controller',
  clearPreparedCache: 'controller',
} as const satisfies Readonly<Record<RouteName, 'any' | 'controller'>>

/** The routes that every process executes. */
export type RouteOfAny = {
  [N in RouteName]: (typeof ROUTE_PROCESSES)[N] extends 'any' ? N : never
}[RouteName]

/** Restricts an object with an entry per route to the routes that every process executes. */
export function ofAny<Some extends object>(byRoute: Some): Pick<Some, keyof Some & RouteOfAny> {
  return Object.fromEntries(
    Object.entries(byRoute).filter(([name]) => ROUTE_PROCESSES[name as RouteName] === 'any'),
  ) as Pick<Some, keyof Some & RouteOfAny>
}
