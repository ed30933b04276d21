#!/bin/bash
kubectl create namespace lab
echo prepared > /tmp/prepared
