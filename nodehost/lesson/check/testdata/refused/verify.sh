#!/bin/bash
if docker ps | grep shop; then exit 0; fi
exit 1
