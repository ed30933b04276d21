#!/bin/bash

kubectl get pod web -n lab -o jsonpath='{.status.phase}' | grep Running
