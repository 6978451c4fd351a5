// Generated from packages/contracts by "npm run generate"; do not edit.

import type { RouteResponse } from '@medloom/contracts'
import type { CallArguments } from './call.js'

/**
 * One method per route. Each may throw a MedloomError with one of the codes listed, with a code of any call
 * (INVALID_REQUEST, UNAUTHORIZED, FORBIDDEN_HOST, FORBIDDEN_ORIGIN, TOO_MANY_REQUESTS, DISK_FULL, STORAGE_FAILED, STORAGE_DENIED, DATA_FOLDER_MISSING, DATABASE_DAMAGED, PATH_TOO_LONG, TOO_MANY_FILES, DATABASE_UNAVAILABLE, CONTROLLER_UNAVAILABLE, CONTROLLER_LOST, INTERNAL), or with a ClientErrorCode.
 */
export interface RouteMethods {
  /**
   * Start a training job.
   *
   * `POST /api/training/start`
   * @throws MedloomError INVALID_CONFIG, UNKNOWN_BACKBONE, MODEL_NOT_FOUND, JOB_NOT_FOUND, JOB_RUNNING,
   * CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_MISMATCH, PATH_NOT_ALLOWED, PATH_NOT_ON_NODES,
   * FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE, QUEUE_FULL, QUOTA_EXCEEDED, INVALID_JSON, UNKNOWN_FIELD,
   * PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN, IDEMPOTENCY_CONFLICT
   * @example await client.startTraining({ config })
   */
  startTraining(...args: CallArguments<'startTraining'>): Promise<RouteResponse<'startTraining'>>

  /**
   * Check a training without starting it: problems, complete configuration, columns, parameters, memory and time.
   *
   * `POST /api/training/check`
   * @throws MedloomError INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN
   * @example await client.checkTraining({ config })
   */
  checkTraining(...args: CallArguments<'checkTraining'>): Promise<RouteResponse<'checkTraining'>>

  /**
   * List, search and sort the jobs; by default newest first, without archived jobs.
   *
   * `GET /api/training`
   * @throws MedloomError INVALID_PAGE_TOKEN
   * @example await client.listJobs()
   */
  listJobs(...args: CallArguments<'listJobs'>): Promise<RouteResponse<'listJobs'>>

  /**
   * List the tags of the jobs with the number of jobs.
   *
   * `GET /api/training/tags`
   * @example await client.listJobTags()
   */
  listJobTags(...args: CallArguments<'listJobTags'>): Promise<RouteResponse<'listJobTags'>>

  /**
   * Get the status of a job.
   *
   * `GET /api/training/{job_id}/status`
   * @throws MedloomError JOB_NOT_FOUND
   * @example await client.getJobStatus({ job_id })
   */
  getJobStatus(...args: CallArguments<'getJobStatus'>): Promise<RouteResponse<'getJobStatus'>>

  /**
   * Change the name, tags, note, pin or archive flag of a job; the training itself is not affected.
   *
   * `PATCH /api/training/{job_id}`
   * @throws MedloomError JOB_NOT_FOUND, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP,
   * FORBIDDEN
   * @example await client.editJob({ job_id, job_name })
   */
  editJob(...args: CallArguments<'editJob'>): Promise<RouteResponse<'editJob'>>

  /**
   * Remove an ended job with its run directory; `dry_run` reports the consequences.
   *
   * `DELETE /api/training/{job_id}`
   * @throws MedloomError JOB_NOT_FOUND, JOB_RUNNING, JOB_IN_USE, FORBIDDEN
   * @example await client.deleteJob({ job_id })
   */
  deleteJob(...args: CallArguments<'deleteJob'>): Promise<RouteResponse<'deleteJob'>>

  /**
   * Stop a job; the response is sent when its checkpoint is saved.
   *
   * `POST /api/training/{job_id}/stop`
   * @throws MedloomError JOB_NOT_FOUND, JOB_NOT_RUNNING, FORBIDDEN
   * @example await client.stopJob({ job_id })
   */
  stopJob(...args: CallArguments<'stopJob'>): Promise<RouteResponse<'stopJob'>>

  /**
   * Finish a job after the current epoch and keep the best model.
   *
   * `POST /api/training/{job_id}/finish`
   * @throws MedloomError JOB_NOT_FOUND, JOB_NOT_RUNNING, FORBIDDEN
   * @example await client.finishJob({ job_id })
   */
  finishJob(...args: CallArguments<'finishJob'>): Promise<RouteResponse<'finishJob'>>

  /**
   * Resume a stopped or failed job from its last or the given checkpoint, as a new job.
   *
   * `POST /api/training/{job_id}/resume`
   * @throws MedloomError JOB_NOT_FOUND, JOB_NOT_RESUMABLE, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT,
   * CHECKPOINT_NOT_RESUMABLE, INVALID_CONFIG, PATH_NOT_ALLOWED, PATH_NOT_ON_NODES, FILE_NOT_FOUND,
   * FILE_NOT_REGULAR, TABLE_TOO_LARGE, QUEUE_FULL, QUOTA_EXCEEDED, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE,
   * PAYLOAD_TOO_DEEP, FORBIDDEN, IDEMPOTENCY_CONFLICT
   * @example await client.resumeJob({ job_id })
   */
  resumeJob(...args: CallArguments<'resumeJob'>): Promise<RouteResponse<'resumeJob'>>

  /**
   * Get a part of the log by byte offset, or its last lines.
   *
   * `GET /api/training/{job_id}/logs`
   * @throws MedloomError JOB_NOT_FOUND
   * @example await client.getJobLogs({ job_id })
   */
  getJobLogs(...args: CallArguments<'getJobLogs'>): Promise<RouteResponse<'getJobLogs'>>

  /**
   * Search the log for lines that contain a text.
   *
   * `GET /api/training/{job_id}/logs/find`
   * @throws MedloomError JOB_NOT_FOUND
   * @example await client.findInJobLogs({ job_id })
   */
  findInJobLogs(...args: CallArguments<'findInJobLogs'>): Promise<RouteResponse<'findInJobLogs'>>

  /**
   * Get the metric series of a job or of a range of its steps, aggregated in buckets.
   *
   * `GET /api/training/{job_id}/metrics`
   * @throws MedloomError JOB_NOT_FOUND
   * @example await client.getJobMetrics({ job_id })
   */
  getJobMetrics(...args: CallArguments<'getJobMetrics'>): Promise<RouteResponse<'getJobMetrics'>>

  /**
   * Get the metric series of several jobs, in the requested order.
   *
   * `GET /api/training/metrics`
   * @throws MedloomError JOB_NOT_FOUND
   * @example await client.listJobMetrics()
   */
  listJobMetrics(...args: CallArguments<'listJobMetrics'>): Promise<RouteResponse<'listJobMetrics'>>

  /**
   * Get the resource usage of a job (CPU, memory, GPU, disk) over the steps of its curves.
   *
   * `GET /api/training/{job_id}/resources`
   * @throws MedloomError JOB_NOT_FOUND
   * @example await client.getJobResources({ job_id })
   */
  getJobResources(...args: CallArguments<'getJobResources'>): Promise<RouteResponse<'getJobResources'>>

  /**
   * List the stored messages of a job after `since`.
   *
   * `GET /api/training/{job_id}/events`
   * @throws MedloomError JOB_NOT_FOUND
   * @example await client.listJobEvents({ job_id })
   */
  listJobEvents(...args: CallArguments<'listJobEvents'>): Promise<RouteResponse<'listJobEvents'>>

  /**
   * List the checkpoints of a job: the best, the last, then by epoch.
   *
   * `GET /api/training/{job_id}/checkpoints`
   * @throws MedloomError JOB_NOT_FOUND, INVALID_PAGE_TOKEN
   * @example await client.listJobCheckpoints({ job_id })
   */
  listJobCheckpoints(...args: CallArguments<'listJobCheckpoints'>): Promise<RouteResponse<'listJobCheckpoints'>>

  /**
   * List the reports, evaluations, exported models and other files of a job; checkpoints only on request.
   *
   * `GET /api/training/{job_id}/files`
   * @throws MedloomError JOB_NOT_FOUND, INVALID_PAGE_TOKEN
   * @example await client.listJobFiles({ job_id })
   */
  listJobFiles(...args: CallArguments<'listJobFiles'>): Promise<RouteResponse<'listJobFiles'>>

  /**
   * Get a file of a job: a report as an HTML page without scripts, any other file as a download.
   *
   * `GET /api/training/{job_id}/files/{+path}`
   * @throws MedloomError JOB_NOT_FOUND, RUN_FILE_NOT_FOUND, FORBIDDEN
   * @example await client.getJobFile({ job_id, path })
   */
  getJobFile(...args: CallArguments<'getJobFile'>): Promise<RouteResponse<'getJobFile'>>

  /**
   * Start a study: one training job per variant, seed and fold.
   *
   * `POST /api/studies`
   * @throws MedloomError INVALID_CONFIG, UNKNOWN_BACKBONE, MODEL_NOT_FOUND, JOB_NOT_FOUND, JOB_RUNNING,
   * CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_MISMATCH, PATH_NOT_ALLOWED, PATH_NOT_ON_NODES,
   * FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE, FOLDS_IMPOSSIBLE, BATCH_TOO_LARGE, DATASET_LEAK,
   * DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE,
   * DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, INVALID_JSON,
   * UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN, IDEMPOTENCY_CONFLICT
   * @example await client.startStudy({ config })
   */
  startStudy(...args: CallArguments<'startStudy'>): Promise<RouteResponse<'startStudy'>>

  /**
   * Plan the trainings of a study without starting them.
   *
   * `POST /api/studies/check`
   * @throws MedloomError INVALID_CONFIG, UNKNOWN_BACKBONE, MODEL_NOT_FOUND, JOB_NOT_FOUND, JOB_RUNNING,
   * CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_MISMATCH, PATH_NOT_ALLOWED, PATH_NOT_ON_NODES,
   * FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE, FOLDS_IMPOSSIBLE, BATCH_TOO_LARGE, DATASET_LEAK,
   * DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE,
   * DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, INVALID_JSON,
   * UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN
   * @example await client.checkStudy({ config })
   */
  checkStudy(...args: CallArguments<'checkStudy'>): Promise<RouteResponse<'checkStudy'>>

  /**
   * List the studies, newest first.
   *
   * `GET /api/studies`
   * @throws MedloomError INVALID_PAGE_TOKEN
   * @example await client.listStudies()
   */
  listStudies(...args: CallArguments<'listStudies'>): Promise<RouteResponse<'listStudies'>>

  /**
   * Get the status and results of a study.
   *
   * `GET /api/studies/{study_id}`
   * @throws MedloomError STUDY_NOT_FOUND
   * @example await client.getStudy({ study_id })
   */
  getStudy(...args: CallArguments<'getStudy'>): Promise<RouteResponse<'getStudy'>>

  /**
   * Get the complete statistics of an ended study: metrics with their methods, tests, variance components and
   * trainings.
   *
   * `GET /api/studies/{study_id}/results`
   * @throws MedloomError STUDY_NOT_FOUND, STUDY_NO_RESULTS
   * @example await client.getStudyResults({ study_id })
   */
  getStudyResults(...args: CallArguments<'getStudyResults'>): Promise<RouteResponse<'getStudyResults'>>

  /**
   * Remove an ended study with its jobs and their models; `dry_run` reports the consequences.
   *
   * `DELETE /api/studies/{study_id}`
   * @throws MedloomError STUDY_NOT_FOUND, STUDY_RUNNING, STUDY_IN_USE, FORBIDDEN
   * @example await client.deleteStudy({ study_id })
   */
  deleteStudy(...args: CallArguments<'deleteStudy'>): Promise<RouteResponse<'deleteStudy'>>

  /**
   * Stop a study; the response is sent when its running trainings have saved their checkpoints.
   *
   * `POST /api/studies/{study_id}/stop`
   * @throws MedloomError STUDY_NOT_FOUND, STUDY_NOT_RUNNING, FORBIDDEN
   * @example await client.stopStudy({ study_id })
   */
  stopStudy(...args: CallArguments<'stopStudy'>): Promise<RouteResponse<'stopStudy'>>

  /**
   * Resume a stopped or failed study: trainings continue from their checkpoints, completed trainings are kept.
   *
   * `POST /api/studies/{study_id}/resume`
   * @throws MedloomError STUDY_NOT_FOUND, STUDY_NOT_RESUMABLE, STUDY_RUNNING, STUDY_DATA_CHANGED, FILE_NOT_FOUND,
   * FILE_NOT_REGULAR, PATH_NOT_ALLOWED, PATH_NOT_ON_NODES, FORBIDDEN, IDEMPOTENCY_CONFLICT
   * @example await client.resumeStudy({ study_id })
   */
  resumeStudy(...args: CallArguments<'resumeStudy'>): Promise<RouteResponse<'resumeStudy'>>

  /**
   * Get a report of a study: an HTML page without scripts, or a file to download.
   *
   * `GET /api/studies/{study_id}/report/{format}`
   * @throws MedloomError STUDY_NOT_FOUND, RUN_FILE_NOT_FOUND
   * @example await client.getStudyReport({ study_id, format })
   */
  getStudyReport(...args: CallArguments<'getStudyReport'>): Promise<RouteResponse<'getStudyReport'>>

  /**
   * Write the report of a study again in the given formats.
   *
   * `POST /api/studies/{study_id}/report`
   * @throws MedloomError STUDY_NOT_FOUND, STUDY_NO_RESULTS, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE,
   * PAYLOAD_TOO_DEEP, FORBIDDEN
   * @example await client.reportStudy({ study_id })
   */
  reportStudy(...args: CallArguments<'reportStudy'>): Promise<RouteResponse<'reportStudy'>>

  /**
   * List the registered models with their first checkpoints, newest first.
   *
   * `GET /api/models`
   * @throws MedloomError INVALID_PAGE_TOKEN
   * @example await client.listModels()
   */
  listModels(...args: CallArguments<'listModels'>): Promise<RouteResponse<'listModels'>>

  /**
   * Get a model with its first checkpoints.
   *
   * `GET /api/models/{model_id}`
   * @throws MedloomError MODEL_NOT_FOUND
   * @example await client.getModel({ model_id })
   */
  getModel(...args: CallArguments<'getModel'>): Promise<RouteResponse<'getModel'>>

  /**
   * List the checkpoints of a model: the best, the last, then by epoch.
   *
   * `GET /api/models/{model_id}/checkpoints`
   * @throws MedloomError MODEL_NOT_FOUND, INVALID_PAGE_TOKEN
   * @example await client.listModelCheckpoints({ model_id })
   */
  listModelCheckpoints(...args: CallArguments<'listModelCheckpoints'>): Promise<RouteResponse<'listModelCheckpoints'>>

  /**
   * Get the model card in Markdown, written from the training and its newest evaluation on a test split.
   *
   * `GET /api/models/{model_id}/card`
   * @throws MedloomError MODEL_NOT_FOUND
   * @example await client.getModelCard({ model_id })
   */
  getModelCard(...args: CallArguments<'getModelCard'>): Promise<RouteResponse<'getModelCard'>>

  /**
   * Remove a model with its checkpoints and evaluations; `dry_run` reports the consequences.
   *
   * `DELETE /api/models/{model_id}`
   * @throws MedloomError MODEL_NOT_FOUND, MODEL_IN_USE, FORBIDDEN
   * @example await client.deleteModel({ model_id })
   */
  deleteModel(...args: CallArguments<'deleteModel'>): Promise<RouteResponse<'deleteModel'>>

  /**
   * Evaluate a model on a table and write a report.
   *
   * `POST /api/models/{model_id}/evaluate`
   * @throws MedloomError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_MISMATCH,
   * TEMPERATURE_UNAVAILABLE, PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE, DATASET_INVALID,
   * CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE, DEVICE_UNAVAILABLE,
   * OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, INVALID_JSON, UNKNOWN_FIELD,
   * PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, QUEUE_FULL, FORBIDDEN
   * @example await client.evaluateModel({ model_id })
   */
  evaluateModel(...args: CallArguments<'evaluateModel'>): Promise<RouteResponse<'evaluateModel'>>

  /**
   * Combine trained models, such as those of a study, into an ensemble that averages their predictions.
   *
   * `POST /api/models/ensemble`
   * @throws MedloomError STUDY_NOT_FOUND, STUDY_RUNNING, JOB_NOT_FOUND, MODEL_NOT_FOUND, MEMBER_NOT_TRAINED,
   * MEMBERS_DIFFER, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, PATH_NOT_ALLOWED, DEVICE_UNAVAILABLE, OUT_OF_MEMORY,
   * TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE,
   * PAYLOAD_TOO_DEEP, FORBIDDEN
   * @example await client.createEnsemble({ study_id })
   */
  createEnsemble(...args: CallArguments<'createEnsemble'>): Promise<RouteResponse<'createEnsemble'>>

  /**
   * Export a model to a file for other software; the file is compared with the model before it is saved.
   *
   * `POST /api/models/{model_id}/export`
   * @throws MedloomError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_MISMATCH,
   * PATH_NOT_ALLOWED, EXPORT_UNSUPPORTED, DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT,
   * PYTHON_UNAVAILABLE, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, QUEUE_FULL, FORBIDDEN
   * @example await client.exportModel({ model_id })
   */
  exportModel(...args: CallArguments<'exportModel'>): Promise<RouteResponse<'exportModel'>>

  /**
   * Evaluate several models on the same cases, compare them in pairs and write a report.
   *
   * `POST /api/models/compare`
   * @throws MedloomError MODEL_NOT_FOUND, MODELS_NOT_COMPARABLE, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT,
   * PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE, DATASET_INVALID, CSV_MALFORMED,
   * COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE, DEVICE_UNAVAILABLE, OUT_OF_MEMORY,
   * TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE,
   * PAYLOAD_TOO_DEEP, QUEUE_FULL, FORBIDDEN
   * @example await client.compareModels({ models })
   */
  compareModels(...args: CallArguments<'compareModels'>): Promise<RouteResponse<'compareModels'>>

  /**
   * List the vision backbones and their aliases.
   *
   * `GET /api/backbones`
   * @example await client.listBackbones()
   */
  listBackbones(...args: CallArguments<'listBackbones'>): Promise<RouteResponse<'listBackbones'>>

  /**
   * List the aliases with the models that they name, in alphabetical order.
   *
   * `GET /api/aliases`
   * @example await client.listAliases()
   */
  listAliases(...args: CallArguments<'listAliases'>): Promise<RouteResponse<'listAliases'>>

  /**
   * Get the model that an alias names now or named at an earlier time, who set it, and on which evaluation.
   *
   * `GET /api/aliases/{alias}`
   * @throws MedloomError ALIAS_NOT_FOUND
   * @example await client.getAlias({ alias })
   */
  getAlias(...args: CallArguments<'getAlias'>): Promise<RouteResponse<'getAlias'>>

  /**
   * List the history of an alias, newest first; nothing is ever changed or removed in it.
   *
   * `GET /api/aliases/{alias}/history`
   * @throws MedloomError ALIAS_NOT_FOUND, INVALID_PAGE_TOKEN
   * @example await client.listAliasMoves({ alias })
   */
  listAliasMoves(...args: CallArguments<'listAliasMoves'>): Promise<RouteResponse<'listAliasMoves'>>

  /**
   * Set an alias to a model; the user who first set it owns it.
   *
   * `PUT /api/aliases/{alias}`
   * @throws MedloomError MODEL_NOT_FOUND, EVALUATION_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT,
   * INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN
   * @example await client.setAlias({ alias, model_id })
   */
  setAlias(...args: CallArguments<'setAlias'>): Promise<RouteResponse<'setAlias'>>

  /**
   * Remove an alias; its history is kept.
   *
   * `DELETE /api/aliases/{alias}`
   * @throws MedloomError ALIAS_NOT_FOUND, FORBIDDEN
   * @example await client.removeAlias({ alias })
   */
  removeAlias(...args: CallArguments<'removeAlias'>): Promise<RouteResponse<'removeAlias'>>

  /**
   * List the evaluations of all models, newest first.
   *
   * `GET /api/evaluations`
   * @throws MedloomError INVALID_PAGE_TOKEN
   * @example await client.listEvaluations()
   */
  listEvaluations(...args: CallArguments<'listEvaluations'>): Promise<RouteResponse<'listEvaluations'>>

  /**
   * List the evaluations of a model, newest first.
   *
   * `GET /api/models/{model_id}/evaluations`
   * @throws MedloomError MODEL_NOT_FOUND, INVALID_PAGE_TOKEN
   * @example await client.listModelEvaluations({ model_id })
   */
  listModelEvaluations(...args: CallArguments<'listModelEvaluations'>): Promise<RouteResponse<'listModelEvaluations'>>

  /**
   * Get an evaluation; `validation-<job_id>` and `held-out-<job_id>` are the evaluations of a training on its own
   * cases.
   *
   * `GET /api/evaluations/{evaluation_id}`
   * @throws MedloomError EVALUATION_NOT_FOUND
   * @example await client.getEvaluation({ evaluation_id })
   */
  getEvaluation(...args: CallArguments<'getEvaluation'>): Promise<RouteResponse<'getEvaluation'>>

  /**
   * List the cases of an evaluation by truth, prediction, group, confidence or loss, in pages.
   *
   * `GET /api/evaluations/{evaluation_id}/cases`
   * @throws MedloomError EVALUATION_NOT_FOUND, INVALID_PAGE_TOKEN, FORBIDDEN
   * @example await client.listEvaluationCases({ evaluation_id })
   */
  listEvaluationCases(...args: CallArguments<'listEvaluationCases'>): Promise<RouteResponse<'listEvaluationCases'>>

  /**
   * Image of a failure case as the model reads it, if the evaluation was requested with images.
   *
   * `GET /api/evaluations/{evaluation_id}/failure-image`
   * @throws MedloomError EVALUATION_NOT_FOUND, RUN_FILE_NOT_FOUND
   * @example await client.getFailureImage({ evaluation_id })
   */
  getFailureImage(...args: CallArguments<'getFailureImage'>): Promise<RouteResponse<'getFailureImage'>>

  /**
   * Write the report of an evaluation again in the given formats; for a training on its own cases, the report of
   * the run.
   *
   * `POST /api/evaluations/{evaluation_id}/report`
   * @throws MedloomError EVALUATION_NOT_FOUND, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP,
   * FORBIDDEN
   * @example await client.reportEvaluation({ evaluation_id })
   */
  reportEvaluation(...args: CallArguments<'reportEvaluation'>): Promise<RouteResponse<'reportEvaluation'>>

  /**
   * Get a comparison of several models on the same cases.
   *
   * `GET /api/comparisons/{comparison_id}`
   * @throws MedloomError COMPARISON_NOT_FOUND
   * @example await client.getComparison({ comparison_id })
   */
  getComparison(...args: CallArguments<'getComparison'>): Promise<RouteResponse<'getComparison'>>

  /**
   * List the predictions of two models of a comparison for each case, by which of the two is correct, in pages.
   *
   * `GET /api/comparisons/{comparison_id}/cases`
   * @throws MedloomError COMPARISON_NOT_FOUND, MODEL_NOT_FOUND, INVALID_PAGE_TOKEN, FORBIDDEN
   * @example await client.listComparedCases({ comparison_id })
   */
  listComparedCases(...args: CallArguments<'listComparedCases'>): Promise<RouteResponse<'listComparedCases'>>

  /**
   * Number of evaluations that used the cases of a data digest as test data.
   *
   * `GET /api/test-uses`
   * @example await client.getTestUses()
   */
  getTestUses(...args: CallArguments<'getTestUses'>): Promise<RouteResponse<'getTestUses'>>

  /**
   * Predict cases without labels; the response of many cases is a task with a file.
   *
   * `POST /api/models/{model_id}/predict`
   * @throws MedloomError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, CHECKPOINT_MISMATCH,
   * OPERATING_POINT_NOT_FOUND, DATASET_NOT_FOUND, UPLOAD_NOT_FOUND, PATH_NOT_ALLOWED, FILE_NOT_FOUND,
   * FILE_NOT_REGULAR, TABLE_TOO_LARGE, DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND,
   * LABEL_INVALID, IMAGES_UNREADABLE, DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT,
   * PYTHON_UNAVAILABLE, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, QUEUE_FULL, FORBIDDEN
   * @example await client.predictCases({ model_id, rows })
   */
  predictCases(...args: CallArguments<'predictCases'>): Promise<RouteResponse<'predictCases'>>

  /**
   * Get the columns and images that a case of a model consists of, with their ranges and categories.
   *
   * `GET /api/models/{model_id}/inputs`
   * @throws MedloomError MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, PATH_NOT_ALLOWED,
   * DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, FORBIDDEN
   * @example await client.getModelInputs({ model_id })
   */
  getModelInputs(...args: CallArguments<'getModelInputs'>): Promise<RouteResponse<'getModelInputs'>>

  /**
   * Image of a finished upload of this user as displayed to people; of a volume, the middle slice.
   *
   * `GET /api/uploads/{upload_id}/image`
   * @throws MedloomError UPLOAD_NOT_FOUND, IMAGES_UNREADABLE, DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED,
   * WORKER_TIMEOUT, PYTHON_UNAVAILABLE, FORBIDDEN
   * @example await client.previewUpload({ upload_id })
   */
  previewUpload(...args: CallArguments<'previewUpload'>): Promise<RouteResponse<'previewUpload'>>

  /**
   * List the records of predictions, newest first; they contain no values of cases.
   *
   * `GET /api/predictions`
   * @throws MedloomError INVALID_PAGE_TOKEN
   * @example await client.listPredictions()
   */
  listPredictions(...args: CallArguments<'listPredictions'>): Promise<RouteResponse<'listPredictions'>>

  /**
   * Get the record of a request for predictions.
   *
   * `GET /api/predictions/{prediction_id}`
   * @throws MedloomError PREDICTION_NOT_FOUND
   * @example await client.getPrediction({ prediction_id })
   */
  getPrediction(...args: CallArguments<'getPrediction'>): Promise<RouteResponse<'getPrediction'>>

  /**
   * Download the file with the predictions of a table, folder or dataset, with the ids of its cases.
   *
   * `GET /api/predictions/{prediction_id}/file`
   * @throws MedloomError PREDICTION_NOT_FOUND, FORBIDDEN
   * @example await client.getPredictionFile({ prediction_id })
   */
  getPredictionFile(...args: CallArguments<'getPredictionFile'>): Promise<RouteResponse<'getPredictionFile'>>

  /**
   * Create a follow-up, which collects the predictions of a model from now on.
   *
   * `POST /api/follow-ups`
   * @throws MedloomError MODEL_NOT_FOUND, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP,
   * FORBIDDEN
   * @example await client.createFollowUp({ name, model })
   */
  createFollowUp(...args: CallArguments<'createFollowUp'>): Promise<RouteResponse<'createFollowUp'>>

  /**
   * List the follow-ups, newest first.
   *
   * `GET /api/follow-ups`
   * @throws MedloomError INVALID_PAGE_TOKEN
   * @example await client.listFollowUps()
   */
  listFollowUps(...args: CallArguments<'listFollowUps'>): Promise<RouteResponse<'listFollowUps'>>

  /**
   * Get a follow-up with the numbers of its cases with and without an outcome, by time window.
   *
   * `GET /api/follow-ups/{follow_up_id}`
   * @throws MedloomError FOLLOW_UP_NOT_FOUND, DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT,
   * PYTHON_UNAVAILABLE
   * @example await client.getFollowUp({ follow_up_id })
   */
  getFollowUp(...args: CallArguments<'getFollowUp'>): Promise<RouteResponse<'getFollowUp'>>

  /**
   * Add the outcomes of a table; rows that are already stored change nothing.
   *
   * `POST /api/follow-ups/{follow_up_id}/outcomes`
   * @throws MedloomError FOLLOW_UP_NOT_FOUND, OUTCOME_CONFLICT, MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND,
   * CHECKPOINT_CORRUPT, PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE, DATASET_INVALID,
   * CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE, DEVICE_UNAVAILABLE,
   * OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, INVALID_JSON, UNKNOWN_FIELD,
   * PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN
   * @example await client.addOutcomes({ follow_up_id, path, id_column })
   */
  addOutcomes(...args: CallArguments<'addOutcomes'>): Promise<RouteResponse<'addOutcomes'>>

  /**
   * Evaluate the outcomes that are known so far, by time window, and test for drift of inputs and calibration.
   *
   * `POST /api/follow-ups/{follow_up_id}/evaluation`
   * @throws MedloomError FOLLOW_UP_NOT_FOUND, FOLLOW_UP_SILENT, MODEL_NOT_FOUND, CHECKPOINT_NOT_FOUND,
   * CHECKPOINT_CORRUPT, PATH_NOT_ALLOWED, DATASET_INVALID, DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED,
   * WORKER_TIMEOUT, PYTHON_UNAVAILABLE, FORBIDDEN
   * @example await client.evaluateFollowUp({ follow_up_id })
   */
  evaluateFollowUp(...args: CallArguments<'evaluateFollowUp'>): Promise<RouteResponse<'evaluateFollowUp'>>

  /**
   * Get the latest evaluation of a follow-up.
   *
   * `GET /api/follow-ups/{follow_up_id}/evaluation`
   * @throws MedloomError FOLLOW_UP_NOT_FOUND, FOLLOW_UP_SILENT
   * @example await client.getFollowUpEvaluation({ follow_up_id })
   */
  getFollowUpEvaluation(...args: CallArguments<'getFollowUpEvaluation'>): Promise<RouteResponse<'getFollowUpEvaluation'>>

  /**
   * Close a follow-up: it collects no further predictions; outcomes can still be added.
   *
   * `POST /api/follow-ups/{follow_up_id}/close`
   * @throws MedloomError FOLLOW_UP_NOT_FOUND, FOLLOW_UP_CLOSED, FORBIDDEN
   * @example await client.closeFollowUp({ follow_up_id })
   */
  closeFollowUp(...args: CallArguments<'closeFollowUp'>): Promise<RouteResponse<'closeFollowUp'>>

  /**
   * Remove a follow-up with its collected predictions and outcomes; `dry_run` reports the consequences.
   *
   * `DELETE /api/follow-ups/{follow_up_id}`
   * @throws MedloomError FOLLOW_UP_NOT_FOUND, FORBIDDEN
   * @example await client.deleteFollowUp({ follow_up_id })
   */
  deleteFollowUp(...args: CallArguments<'deleteFollowUp'>): Promise<RouteResponse<'deleteFollowUp'>>

  /**
   * List the registered datasets, newest first.
   *
   * `GET /api/datasets`
   * @throws MedloomError INVALID_PAGE_TOKEN
   * @example await client.listDatasets()
   */
  listDatasets(...args: CallArguments<'listDatasets'>): Promise<RouteResponse<'listDatasets'>>

  /**
   * Register a folder or CSV.
   *
   * `POST /api/datasets`
   * @throws MedloomError TASK_NOT_FOUND, PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE,
   * DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE,
   * DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, INVALID_JSON,
   * UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN, IDEMPOTENCY_CONFLICT
   * @example await client.registerDataset({ path })
   */
  registerDataset(...args: CallArguments<'registerDataset'>): Promise<RouteResponse<'registerDataset'>>

  /**
   * Create and register the synthetic example dataset if it does not exist, and return a training configuration
   * for it.
   *
   * `POST /api/datasets/example`
   * @throws MedloomError PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE, DATASET_INVALID,
   * CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE, DEVICE_UNAVAILABLE,
   * OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, FORBIDDEN
   * @example await client.makeExample()
   */
  makeExample(...args: CallArguments<'makeExample'>): Promise<RouteResponse<'makeExample'>>

  /**
   * Get a dataset.
   *
   * `GET /api/datasets/{dataset_id}`
   * @throws MedloomError DATASET_NOT_FOUND
   * @example await client.getDataset({ dataset_id })
   */
  getDataset(...args: CallArguments<'getDataset'>): Promise<RouteResponse<'getDataset'>>

  /**
   * Change the name, note, path, image folder, column roles or positive class of a dataset.
   *
   * `PATCH /api/datasets/{dataset_id}`
   * @throws MedloomError DATASET_NOT_FOUND, DATASET_EXISTS, PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR,
   * TABLE_TOO_LARGE, DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID,
   * IMAGES_UNREADABLE, DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE,
   * INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, QUEUE_FULL, FORBIDDEN
   * @example await client.editDataset({ dataset_id, name })
   */
  editDataset(...args: CallArguments<'editDataset'>): Promise<RouteResponse<'editDataset'>>

  /**
   * Remove the registration of a dataset; its files are kept. `dry_run` reports the consequences.
   *
   * `DELETE /api/datasets/{dataset_id}`
   * @throws MedloomError DATASET_NOT_FOUND, DATASET_IN_USE, FORBIDDEN
   * @example await client.deleteDataset({ dataset_id })
   */
  deleteDataset(...args: CallArguments<'deleteDataset'>): Promise<RouteResponse<'deleteDataset'>>

  /**
   * Infer column roles and check readiness without registering.
   *
   * `POST /api/datasets/inspect`
   * @throws MedloomError PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE, DATASET_INVALID,
   * CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE, DEVICE_UNAVAILABLE,
   * OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, INVALID_JSON, UNKNOWN_FIELD,
   * PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, QUEUE_FULL, FORBIDDEN
   * @example await client.inspectDataset({ path })
   */
  inspectDataset(...args: CallArguments<'inspectDataset'>): Promise<RouteResponse<'inspectDataset'>>

  /**
   * Some cases of an inspected table with their images, and the rows of the source that a recipe makes them of.
   *
   * `POST /api/datasets/preview`
   * @throws MedloomError TASK_NOT_FOUND, PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE,
   * DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE,
   * DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, INVALID_JSON,
   * UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN
   * @example await client.previewCases({ path, inspection })
   */
  previewCases(...args: CallArguments<'previewCases'>): Promise<RouteResponse<'previewCases'>>

  /**
   * Propose the recipe that reads a folder as it is, with the evidence and the questions that remain.
   *
   * `POST /api/datasets/recipe`
   * @throws MedloomError PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE, DATASET_INVALID,
   * CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE, DEVICE_UNAVAILABLE,
   * OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, INVALID_JSON, UNKNOWN_FIELD,
   * PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, QUEUE_FULL, FORBIDDEN
   * @example await client.proposeRecipe({ path })
   */
  proposeRecipe(...args: CallArguments<'proposeRecipe'>): Promise<RouteResponse<'proposeRecipe'>>

  /**
   * List, filter and sort the cases of a dataset as a training reads them; identifying values only on request.
   *
   * `GET /api/datasets/{dataset_id}/cases`
   * @throws MedloomError DATASET_NOT_FOUND, PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE,
   * DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE,
   * DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, FILTER_INVALID,
   * INVALID_PAGE_TOKEN, FORBIDDEN
   * @example await client.listCases({ dataset_id })
   */
  listCases(...args: CallArguments<'listCases'>): Promise<RouteResponse<'listCases'>>

  /**
   * Distribution of a column per split and class: a histogram for numbers, otherwise the most frequent values.
   *
   * `GET /api/datasets/{dataset_id}/distribution`
   * @throws MedloomError DATASET_NOT_FOUND, PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE,
   * DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE,
   * DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE
   * @example await client.getDistribution({ dataset_id })
   */
  getDistribution(...args: CallArguments<'getDistribution'>): Promise<RouteResponse<'getDistribution'>>

  /**
   * Thumbnails of many cases in one response; each missing image with the reason.
   *
   * `POST /api/datasets/{dataset_id}/thumbnails`
   * @throws MedloomError DATASET_NOT_FOUND, PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE,
   * DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE,
   * DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, INVALID_JSON,
   * UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP
   * @example await client.listThumbnails({ dataset_id, rows })
   */
  listThumbnails(...args: CallArguments<'listThumbnails'>): Promise<RouteResponse<'listThumbnails'>>

  /**
   * Find leaks between splits: pairs of cases with the same patient, identical files or near-duplicate images.
   *
   * `POST /api/datasets/{dataset_id}/leaks`
   * @throws MedloomError DATASET_NOT_FOUND, PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE,
   * DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE,
   * DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, QUEUE_FULL, FORBIDDEN
   * @example await client.findLeaks({ dataset_id })
   */
  findLeaks(...args: CallArguments<'findLeaks'>): Promise<RouteResponse<'findLeaks'>>

  /**
   * Image of a case, by row and image column: as displayed to people, or exactly as a model reads it.
   *
   * `GET /api/datasets/{dataset_id}/images/{row}/{image}`
   * @throws MedloomError DATASET_NOT_FOUND, PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE,
   * DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE,
   * DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, IMAGE_NOT_FOUND
   * @example await client.getImage({ dataset_id, row, image })
   */
  getImage(...args: CallArguments<'getImage'>): Promise<RouteResponse<'getImage'>>

  /**
   * Properties of an image: type, size, slices, spacing and windows; no patient data.
   *
   * `GET /api/datasets/{dataset_id}/images/{row}/{image}/info`
   * @throws MedloomError DATASET_NOT_FOUND, PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE,
   * DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID, IMAGES_UNREADABLE,
   * DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE, IMAGE_NOT_FOUND
   * @example await client.getImageInfo({ dataset_id, row, image })
   */
  getImageInfo(...args: CallArguments<'getImageInfo'>): Promise<RouteResponse<'getImageInfo'>>

  /**
   * List the tasks, newest first, without their results.
   *
   * `GET /api/tasks`
   * @throws MedloomError INVALID_PAGE_TOKEN
   * @example await client.listTasks()
   */
  listTasks(...args: CallArguments<'listTasks'>): Promise<RouteResponse<'listTasks'>>

  /**
   * Get the state, progress and result of a task.
   *
   * `GET /api/tasks/{task_id}`
   * @throws MedloomError TASK_NOT_FOUND
   * @example await client.getTask({ task_id })
   */
  getTask(...args: CallArguments<'getTask'>): Promise<RouteResponse<'getTask'>>

  /**
   * Cancel a task; the response is sent when the task has stopped. A task that has ended is not changed.
   *
   * `POST /api/tasks/{task_id}/cancel`
   * @throws MedloomError TASK_NOT_FOUND, FORBIDDEN
   * @example await client.cancelTask({ task_id })
   */
  cancelTask(...args: CallArguments<'cancelTask'>): Promise<RouteResponse<'cancelTask'>>

  /**
   * List the folders that requests can access, or the contents of one of them.
   *
   * `GET /api/files`
   * @throws MedloomError PATH_NOT_ALLOWED, FILE_NOT_FOUND, FILE_NOT_REGULAR, INVALID_PAGE_TOKEN
   * @example await client.listFiles()
   */
  listFiles(...args: CallArguments<'listFiles'>): Promise<RouteResponse<'listFiles'>>

  /**
   * Start an upload; a repeated request for the same file of the same user returns the unfinished upload.
   *
   * `POST /api/uploads`
   * @throws MedloomError FILE_EXISTS, TOO_MANY_UPLOADS, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE,
   * PAYLOAD_TOO_DEEP, FORBIDDEN
   * @example await client.createUpload({ folder, path, size_bytes })
   */
  createUpload(...args: CallArguments<'createUpload'>): Promise<RouteResponse<'createUpload'>>

  /**
   * List the unfinished uploads of the caller; for an administrator, of all users.
   *
   * `GET /api/uploads`
   * @throws MedloomError FORBIDDEN
   * @example await client.listUploads()
   */
  listUploads(...args: CallArguments<'listUploads'>): Promise<RouteResponse<'listUploads'>>

  /**
   * Get the progress of an upload.
   *
   * `GET /api/uploads/{upload_id}`
   * @throws MedloomError UPLOAD_NOT_FOUND, FORBIDDEN
   * @example await client.getUpload({ upload_id })
   */
  getUpload(...args: CallArguments<'getUpload'>): Promise<RouteResponse<'getUpload'>>

  /**
   * Upload the next chunk of a file; received bytes are kept if the connection breaks.
   *
   * `PUT /api/uploads/{upload_id}`
   * @throws MedloomError UPLOAD_NOT_FOUND, UPLOAD_OFFSET, PAYLOAD_TOO_LARGE, INVALID_JSON, FORBIDDEN
   * @example await client.sendUpload({ upload_id })
   */
  sendUpload(...args: CallArguments<'sendUpload'>): Promise<RouteResponse<'sendUpload'>>

  /**
   * Finish an upload: verify the digest and move the file to its destination.
   *
   * `POST /api/uploads/{upload_id}/finish`
   * @throws MedloomError UPLOAD_NOT_FOUND, UPLOAD_INCOMPLETE, UPLOAD_DIGEST, FILE_EXISTS, INVALID_JSON,
   * UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN
   * @example await client.finishUpload({ upload_id })
   */
  finishUpload(...args: CallArguments<'finishUpload'>): Promise<RouteResponse<'finishUpload'>>

  /**
   * Cancel an unfinished upload and remove the received bytes.
   *
   * `DELETE /api/uploads/{upload_id}`
   * @throws MedloomError UPLOAD_NOT_FOUND, FORBIDDEN
   * @example await client.deleteUpload({ upload_id })
   */
  deleteUpload(...args: CallArguments<'deleteUpload'>): Promise<RouteResponse<'deleteUpload'>>

  /**
   * Get the node catalog, with ports and fields.
   *
   * `GET /api/nodes`
   * @example await client.listNodes()
   */
  listNodes(...args: CallArguments<'listNodes'>): Promise<RouteResponse<'listNodes'>>

  /**
   * Create a workflow from a saved file or a name.
   *
   * `POST /api/workflow/create`
   * @throws MedloomError WORKFLOW_INVALID, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP,
   * FORBIDDEN, IDEMPOTENCY_CONFLICT
   * @example await client.createWorkflow({ name })
   */
  createWorkflow(...args: CallArguments<'createWorkflow'>): Promise<RouteResponse<'createWorkflow'>>

  /**
   * Convert a training configuration to a workflow without saving it.
   *
   * `POST /api/workflow/of-training`
   * @throws MedloomError INVALID_CONFIG, UNKNOWN_BACKBONE, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE,
   * PAYLOAD_TOO_DEEP
   * @example await client.workflowOfTraining({ config })
   */
  workflowOfTraining(...args: CallArguments<'workflowOfTraining'>): Promise<RouteResponse<'workflowOfTraining'>>

  /**
   * Convert a TrainModel node to a training configuration, and list the settings that a configuration cannot
   * express.
   *
   * `POST /api/workflow/configuration`
   * @throws MedloomError WORKFLOW_INVALID, WORKFLOW_CYCLE, INVALID_CONFIG, INVALID_JSON, UNKNOWN_FIELD,
   * PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP
   * @example await client.configurationOfWorkflow({ workflow })
   */
  configurationOfWorkflow(...args: CallArguments<'configurationOfWorkflow'>): Promise<RouteResponse<'configurationOfWorkflow'>>

  /**
   * Upgrade a file of an earlier version to the current defaults, and list the changes, without saving.
   *
   * `POST /api/workflow/upgrade`
   * @throws MedloomError WORKFLOW_INVALID, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP
   * @example await client.upgradeWorkflow({ workflow })
   */
  upgradeWorkflow(...args: CallArguments<'upgradeWorkflow'>): Promise<RouteResponse<'upgradeWorkflow'>>

  /**
   * Import a saved file as a new workflow, including its execution history.
   *
   * `POST /api/workflow/import`
   * @throws MedloomError WORKFLOW_INVALID, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP,
   * FORBIDDEN, IDEMPOTENCY_CONFLICT
   * @example await client.importWorkflow({ name })
   */
  importWorkflow(...args: CallArguments<'importWorkflow'>): Promise<RouteResponse<'importWorkflow'>>

  /**
   * List the workflows, newest first.
   *
   * `GET /api/workflow`
   * @throws MedloomError INVALID_PAGE_TOKEN
   * @example await client.listWorkflows()
   */
  listWorkflows(...args: CallArguments<'listWorkflows'>): Promise<RouteResponse<'listWorkflows'>>

  /**
   * Check a workflow without saving it: issues, values at the ports, and the plan of a run.
   *
   * `POST /api/workflow/check`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_INVALID, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE,
   * PAYLOAD_TOO_DEEP
   * @example await client.checkWorkflow({ workflow })
   */
  checkWorkflow(...args: CallArguments<'checkWorkflow'>): Promise<RouteResponse<'checkWorkflow'>>

  /**
   * List the workflow templates, and whether a registered dataset fits them.
   *
   * `GET /api/workflow/templates`
   * @throws MedloomError DATASET_NOT_FOUND
   * @example await client.listTemplates()
   */
  listTemplates(...args: CallArguments<'listTemplates'>): Promise<RouteResponse<'listTemplates'>>

  /**
   * Get the number and size of the cached results.
   *
   * `GET /api/workflow/cache`
   * @example await client.getCache()
   */
  getCache(...args: CallArguments<'getCache'>): Promise<RouteResponse<'getCache'>>

  /**
   * Clear the cached results of all workflows.
   *
   * `DELETE /api/workflow/cache`
   * @throws MedloomError FORBIDDEN
   * @example await client.clearCache()
   */
  clearCache(...args: CallArguments<'clearCache'>): Promise<RouteResponse<'clearCache'>>

  /**
   * Get a workflow with its issues.
   *
   * `GET /api/workflow/{workflow_id}`
   * @throws MedloomError WORKFLOW_NOT_FOUND
   * @example await client.getWorkflow({ workflow_id })
   */
  getWorkflow(...args: CallArguments<'getWorkflow'>): Promise<RouteResponse<'getWorkflow'>>

  /**
   * Replace a workflow; rejected if it has changed since `revision`.
   *
   * `PUT /api/workflow/{workflow_id}`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_INVALID, REVISION_CONFLICT, INVALID_JSON, UNKNOWN_FIELD,
   * PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN
   * @example await client.updateWorkflow({ workflow_id, revision })
   */
  updateWorkflow(...args: CallArguments<'updateWorkflow'>): Promise<RouteResponse<'updateWorkflow'>>

  /**
   * Delete a workflow with its runs, its project folder and its cached results.
   *
   * `DELETE /api/workflow/{workflow_id}`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_RUNNING, FORBIDDEN
   * @example await client.deleteWorkflow({ workflow_id })
   */
  deleteWorkflow(...args: CallArguments<'deleteWorkflow'>): Promise<RouteResponse<'deleteWorkflow'>>

  /**
   * Run a workflow, or return the plan of a run.
   *
   * `POST /api/workflow/{workflow_id}/execute`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_RUN_NOT_FOUND, WORKFLOW_INVALID, WORKFLOW_CYCLE,
   * WORKFLOW_RUNNING, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN,
   * IDEMPOTENCY_CONFLICT
   * @example await client.executeWorkflow({ workflow_id })
   */
  executeWorkflow(...args: CallArguments<'executeWorkflow'>): Promise<RouteResponse<'executeWorkflow'>>

  /**
   * Plan a run: the action for each node, and the reason.
   *
   * `POST /api/workflow/{workflow_id}/plan`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_RUN_NOT_FOUND, WORKFLOW_INVALID, WORKFLOW_CYCLE,
   * INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP
   * @example await client.planWorkflow({ workflow_id })
   */
  planWorkflow(...args: CallArguments<'planWorkflow'>): Promise<RouteResponse<'planWorkflow'>>

  /**
   * Get the status of the latest run or of the given run.
   *
   * `GET /api/workflow/{workflow_id}/status`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_RUN_NOT_FOUND
   * @example await client.getWorkflowStatus({ workflow_id })
   */
  getWorkflowStatus(...args: CallArguments<'getWorkflowStatus'>): Promise<RouteResponse<'getWorkflowStatus'>>

  /**
   * Get the rows and images of the result of a node after preprocessing, in pages.
   *
   * `GET /api/workflow/{workflow_id}/preview`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_RUN_NOT_FOUND, RESULT_NOT_FOUND, NODE_FAILED,
   * TABLE_TOO_LARGE, DATASET_INVALID, CSV_MALFORMED, COLUMN_NOT_FOUND, LABEL_NOT_FOUND, LABEL_INVALID,
   * IMAGES_UNREADABLE, DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE,
   * INVALID_PAGE_TOKEN, FORBIDDEN
   * @example await client.previewNode({ workflow_id })
   */
  previewNode(...args: CallArguments<'previewNode'>): Promise<RouteResponse<'previewNode'>>

  /**
   * Get the value at a port: properties of cases and models, curves, metrics and files. Nothing is computed.
   *
   * `GET /api/workflow/{workflow_id}/value`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_RUN_NOT_FOUND, RESULT_NOT_FOUND, NODE_FAILED,
   * INVALID_PAGE_TOKEN
   * @example await client.getPortValue({ workflow_id })
   */
  getPortValue(...args: CallArguments<'getPortValue'>): Promise<RouteResponse<'getPortValue'>>

  /**
   * Get a file at a port: a report as an HTML page without scripts, any other file as a download.
   *
   * `GET /api/workflow/{workflow_id}/value/files/{+path}`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_RUN_NOT_FOUND, RESULT_NOT_FOUND, RUN_FILE_NOT_FOUND,
   * NODE_FAILED, FORBIDDEN
   * @example await client.getPortFile({ workflow_id, path })
   */
  getPortFile(...args: CallArguments<'getPortFile'>): Promise<RouteResponse<'getPortFile'>>

  /**
   * List the runs of a workflow, newest first.
   *
   * `GET /api/workflow/{workflow_id}/runs`
   * @throws MedloomError WORKFLOW_NOT_FOUND, INVALID_PAGE_TOKEN
   * @example await client.listWorkflowRuns({ workflow_id })
   */
  listWorkflowRuns(...args: CallArguments<'listWorkflowRuns'>): Promise<RouteResponse<'listWorkflowRuns'>>

  /**
   * Get a run: the workflow as it ran, and the state and duration of each node.
   *
   * `GET /api/workflow/{workflow_id}/runs/{run_id}`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_RUN_NOT_FOUND
   * @example await client.getWorkflowRun({ workflow_id, run_id })
   */
  getWorkflowRun(...args: CallArguments<'getWorkflowRun'>): Promise<RouteResponse<'getWorkflowRun'>>

  /**
   * List the last messages of a run, oldest first.
   *
   * `GET /api/workflow/{workflow_id}/runs/{run_id}/log`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_RUN_NOT_FOUND
   * @example await client.getWorkflowRunLog({ workflow_id, run_id })
   */
  getWorkflowRunLog(...args: CallArguments<'getWorkflowRunLog'>): Promise<RouteResponse<'getWorkflowRunLog'>>

  /**
   * List the stored revisions, newest first.
   *
   * `GET /api/workflow/{workflow_id}/revisions`
   * @throws MedloomError WORKFLOW_NOT_FOUND, INVALID_PAGE_TOKEN
   * @example await client.listWorkflowRevisions({ workflow_id })
   */
  listWorkflowRevisions(...args: CallArguments<'listWorkflowRevisions'>): Promise<RouteResponse<'listWorkflowRevisions'>>

  /**
   * Get the workflow of a revision; to restore it, replace the workflow with it.
   *
   * `GET /api/workflow/{workflow_id}/revisions/{revision}`
   * @throws MedloomError WORKFLOW_NOT_FOUND, REVISION_NOT_FOUND
   * @example await client.getWorkflowRevision({ workflow_id, revision })
   */
  getWorkflowRevision(...args: CallArguments<'getWorkflowRevision'>): Promise<RouteResponse<'getWorkflowRevision'>>

  /**
   * Compare two versions of a workflow, or two workflows.
   *
   * `GET /api/workflow/{workflow_id}/difference`
   * @throws MedloomError WORKFLOW_NOT_FOUND, REVISION_NOT_FOUND, DRAFT_NOT_FOUND
   * @example await client.getWorkflowDifference({ workflow_id })
   */
  getWorkflowDifference(...args: CallArguments<'getWorkflowDifference'>): Promise<RouteResponse<'getWorkflowDifference'>>

  /**
   * Get the draft: unsaved changes of an editor.
   *
   * `GET /api/workflow/{workflow_id}/draft`
   * @throws MedloomError WORKFLOW_NOT_FOUND, DRAFT_NOT_FOUND
   * @example await client.getDraft({ workflow_id })
   */
  getDraft(...args: CallArguments<'getDraft'>): Promise<RouteResponse<'getDraft'>>

  /**
   * Store unsaved changes of an editor as a draft; rejected if another draft was stored in the meantime.
   *
   * `PUT /api/workflow/{workflow_id}/draft`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_INVALID, REVISION_CONFLICT, INVALID_JSON, UNKNOWN_FIELD,
   * PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP, FORBIDDEN
   * @example await client.saveDraft({ workflow_id, base_revision, workflow })
   */
  saveDraft(...args: CallArguments<'saveDraft'>): Promise<RouteResponse<'saveDraft'>>

  /**
   * Delete the draft.
   *
   * `DELETE /api/workflow/{workflow_id}/draft`
   * @throws MedloomError WORKFLOW_NOT_FOUND, FORBIDDEN
   * @example await client.deleteDraft({ workflow_id })
   */
  deleteDraft(...args: CallArguments<'deleteDraft'>): Promise<RouteResponse<'deleteDraft'>>

  /**
   * Cancel the active run; the response is sent when it has ended.
   *
   * `POST /api/workflow/{workflow_id}/cancel`
   * @throws MedloomError WORKFLOW_NOT_FOUND, WORKFLOW_NOT_RUNNING, FORBIDDEN
   * @example await client.cancelWorkflow({ workflow_id })
   */
  cancelWorkflow(...args: CallArguments<'cancelWorkflow'>): Promise<RouteResponse<'cancelWorkflow'>>

  /**
   * Export a workflow as a file; equal workflows give identical files.
   *
   * `GET /api/workflow/{workflow_id}/export`
   * @throws MedloomError WORKFLOW_NOT_FOUND
   * @example await client.exportWorkflow({ workflow_id })
   */
  exportWorkflow(...args: CallArguments<'exportWorkflow'>): Promise<RouteResponse<'exportWorkflow'>>

  /**
   * Clear the cached results of a workflow or of one of its nodes.
   *
   * `DELETE /api/workflow/{workflow_id}/cache`
   * @throws MedloomError WORKFLOW_NOT_FOUND, FORBIDDEN
   * @example await client.clearWorkflowCache({ workflow_id })
   */
  clearWorkflowCache(...args: CallArguments<'clearWorkflowCache'>): Promise<RouteResponse<'clearWorkflowCache'>>

  /**
   * Get the session: whether a token is required, whether the caller is logged in, and the user.
   *
   * `GET /api/session`
   * @example await client.getSession()
   */
  getSession(...args: CallArguments<'getSession'>): Promise<RouteResponse<'getSession'>>

  /**
   * Log a browser in: the response sets a cookie for requests, images and WebSockets of this origin.
   *
   * `POST /api/login`
   * @throws MedloomError LOGIN_FAILED, LOGIN_LIMITED, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE,
   * PAYLOAD_TOO_DEEP
   * @example await client.login({ token })
   */
  login(...args: CallArguments<'login'>): Promise<RouteResponse<'login'>>

  /**
   * Log the browser out: the response removes the cookie, and the open WebSockets of the login are closed with
   * 4401.
   *
   * `POST /api/logout`
   * @example await client.logout()
   */
  logout(...args: CallArguments<'logout'>): Promise<RouteResponse<'logout'>>

  /**
   * Create a token for a user; only this response contains the token.
   *
   * `POST /api/tokens`
   * @throws MedloomError FIRST_TOKEN_ADMIN, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP,
   * FORBIDDEN
   * @example await client.createToken({ user, name, role })
   */
  createToken(...args: CallArguments<'createToken'>): Promise<RouteResponse<'createToken'>>

  /**
   * List the tokens with their users and roles, newest first.
   *
   * `GET /api/tokens`
   * @throws MedloomError INVALID_PAGE_TOKEN, FORBIDDEN
   * @example await client.listTokens()
   */
  listTokens(...args: CallArguments<'listTokens'>): Promise<RouteResponse<'listTokens'>>

  /**
   * Revoke a token: its requests are rejected, its logins end, and its open WebSockets are closed with 4401.
   *
   * `DELETE /api/tokens/{token_id}`
   * @throws MedloomError TOKEN_NOT_FOUND, TOKEN_REVOKED, LAST_ADMIN_TOKEN, FORBIDDEN
   * @example await client.revokeToken({ token_id })
   */
  revokeToken(...args: CallArguments<'revokeToken'>): Promise<RouteResponse<'revokeToken'>>

  /**
   * List the users by name, with their quotas and numbers of running and queued jobs.
   *
   * `GET /api/users`
   * @example await client.listUsers()
   */
  listUsers(...args: CallArguments<'listUsers'>): Promise<RouteResponse<'listUsers'>>

  /**
   * Set the quotas of a user: running and queued training jobs.
   *
   * `PUT /api/users/{user}`
   * @throws MedloomError USER_NOT_FOUND, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP,
   * FORBIDDEN
   * @example await client.setUser({ user, max_running_jobs, max_queued_jobs })
   */
  setUser(...args: CallArguments<'setUser'>): Promise<RouteResponse<'setUser'>>

  /**
   * List the audit log, newest first: changes, reading of patient identifiers, and rejected requests.
   *
   * `GET /api/audit`
   * @throws MedloomError INVALID_PAGE_TOKEN, FORBIDDEN
   * @example await client.listAudit()
   */
  listAudit(...args: CallArguments<'listAudit'>): Promise<RouteResponse<'listAudit'>>

  /**
   * Get GPU, disk and versions.
   *
   * `GET /api/system/info`
   * @example await client.getSystemInfo()
   */
  getSystemInfo(...args: CallArguments<'getSystemInfo'>): Promise<RouteResponse<'getSystemInfo'>>

  /**
   * Get the state of the service: resource usage and the newest items.
   *
   * `GET /api/system/state`
   * @example await client.getServiceState()
   */
  getServiceState(...args: CallArguments<'getServiceState'>): Promise<RouteResponse<'getServiceState'>>

  /**
   * Check whether the service is running.
   *
   * `GET /api/system/health`
   * @example await client.getHealth()
   */
  getHealth(...args: CallArguments<'getHealth'>): Promise<RouteResponse<'getHealth'>>

  /**
   * Check whether the service can train: database, disk and Python respond.
   *
   * `GET /api/system/ready`
   * @example await client.getReady()
   */
  getReady(...args: CallArguments<'getReady'>): Promise<RouteResponse<'getReady'>>

  /**
   * Get the number and size of the prepared images in the cache.
   *
   * `GET /api/system/cache`
   * @throws MedloomError DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE
   * @example await client.getPreparedCache()
   */
  getPreparedCache(...args: CallArguments<'getPreparedCache'>): Promise<RouteResponse<'getPreparedCache'>>

  /**
   * Remove the prepared images that are not in use; they are prepared again when they are needed.
   *
   * `DELETE /api/system/cache`
   * @throws MedloomError DEVICE_UNAVAILABLE, OUT_OF_MEMORY, TRAINER_FAILED, WORKER_TIMEOUT, PYTHON_UNAVAILABLE,
   * FORBIDDEN
   * @example await client.clearPreparedCache()
   */
  clearPreparedCache(...args: CallArguments<'clearPreparedCache'>): Promise<RouteResponse<'clearPreparedCache'>>

  /**
   * Get the specification of an attempt, and the number of stored bytes of its streams.
   *
   * `GET /api/exchange/{job_id}/{attempt}`
   * @throws MedloomError ATTEMPT_ENDED
   * @example await client.getExchangeOrder({ job_id, attempt })
   */
  getExchangeOrder(...args: CallArguments<'getExchangeOrder'>): Promise<RouteResponse<'getExchangeOrder'>>

  /**
   * Report progress of the trainer; the response contains requests to it.
   *
   * `POST /api/exchange/{job_id}/{attempt}/heartbeat`
   * @throws MedloomError ATTEMPT_ENDED, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP
   * @example await client.sendExchangeHeartbeat({ job_id, attempt, heartbeat })
   */
  sendExchangeHeartbeat(...args: CallArguments<'sendExchangeHeartbeat'>): Promise<RouteResponse<'sendExchangeHeartbeat'>>

  /**
   * Append to a stream from an offset; bytes that are already stored are skipped.
   *
   * `PUT /api/exchange/{job_id}/{attempt}/streams/{stream}`
   * @throws MedloomError ATTEMPT_ENDED, UPLOAD_OFFSET, PAYLOAD_TOO_LARGE, INVALID_JSON
   * @example await client.sendExchangeStream({ job_id, attempt, stream })
   */
  sendExchangeStream(...args: CallArguments<'sendExchangeStream'>): Promise<RouteResponse<'sendExchangeStream'>>

  /**
   * Start the upload of a file of the run; it is moved to its destination when it is complete.
   *
   * `POST /api/exchange/{job_id}/{attempt}/files`
   * @throws MedloomError ATTEMPT_ENDED, PATH_NOT_ALLOWED, UPLOAD_DIGEST, UPLOAD_INCOMPLETE, CHECKPOINT_CORRUPT,
   * INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP
   * @example await client.announceExchangeFile({ job_id, attempt, path, size_bytes, sha256 })
   */
  announceExchangeFile(...args: CallArguments<'announceExchangeFile'>): Promise<RouteResponse<'announceExchangeFile'>>

  /**
   * Upload the next chunk; received bytes are kept if the connection breaks.
   *
   * `PUT /api/exchange/{job_id}/{attempt}/files/{sha256}`
   * @throws MedloomError ATTEMPT_ENDED, UPLOAD_OFFSET, PAYLOAD_TOO_LARGE, INVALID_JSON
   * @example await client.sendExchangeFile({ job_id, attempt, sha256 })
   */
  sendExchangeFile(...args: CallArguments<'sendExchangeFile'>): Promise<RouteResponse<'sendExchangeFile'>>

  /**
   * Get the properties of files that the training reads.
   *
   * `POST /api/exchange/{job_id}/{attempt}/data/facts`
   * @throws MedloomError ATTEMPT_ENDED, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP
   * @example await client.getExchangeFacts({ job_id, attempt, files })
   */
  getExchangeFacts(...args: CallArguments<'getExchangeFacts'>): Promise<RouteResponse<'getExchangeFacts'>>

  /**
   * Download files that the training reads, in sequence: a JSON line with size_bytes and modified (or missing),
   * the content, and a line with its SHA-256.
   *
   * `POST /api/exchange/{job_id}/{attempt}/data/files`
   * @throws MedloomError ATTEMPT_ENDED, INVALID_JSON, UNKNOWN_FIELD, PAYLOAD_TOO_LARGE, PAYLOAD_TOO_DEEP
   * @example await client.getExchangeData({ job_id, attempt, files })
   */
  getExchangeData(...args: CallArguments<'getExchangeData'>): Promise<RouteResponse<'getExchangeData'>>
}
