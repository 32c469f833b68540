#!/bin/bash
# Every program of a small universe, in the tasks of an array job of AWS Batch. Submit it with
#   aws batch submit-job --job-name syncscope-verify --job-queue QUEUE --job-definition DEFINITION --array-properties size=64
# where the job definition runs this script and mounts a file system that all tasks share at /results. Then:
#   syncscope verify --merge /results
set -euo pipefail
exec syncscope verify --lowering precise --exhaustive 3 --shard auto --resume "/results/$AWS_BATCH_JOB_ARRAY_INDEX.json"
